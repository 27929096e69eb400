import { useAnnounce } from './announcer.js';
import { Button } from './button.js';

type CopyButtonProps = {
  text: string;
  /** Names the button for screen readers, such as "Copy the request body". */
  label: string;
  children?: React.ReactNode;
};

/** A button that copies the original text, without masks and escapes. */
export function CopyButton({ text, label, children = 'Copy' }: CopyButtonProps) {
  const announce = useAnnounce();
  const copy = async () => {
    const isCopied = await copyText(text);
    announce(isCopied ? 'Copied.' : 'The browser blocked the copy. Select the text and copy it yourself.');
  };
  return (
    <Button variant="quiet" aria-label={label} onClick={() => void copy()}>
      {children}
    </Button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For frames and for pages without https, where the clipboard API is not available. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  const parent = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
