import { Button } from './button.js';

type PagerProps = {
  /** Names the list, such as "deliveries". */
  label: string;
  goPrevious: (() => void) | undefined;
  goNext: (() => void) | undefined;
  goFirst?: (() => void) | undefined;
  children?: React.ReactNode;
};

/**
 * The buttons to other pages of a list. Without a page, Previous and Next are disabled, and First is absent. `children`
 * precede the buttons.
 */
export function Pager({ label, goPrevious, goNext, goFirst, children }: PagerProps) {
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      {children}
      {goFirst && <Button onClick={goFirst}>First</Button>}
      <Button disabled={!goPrevious} onClick={goPrevious}>
        Previous
      </Button>
      <Button disabled={!goNext} onClick={goNext}>
        Next
      </Button>
    </nav>
  );
}
