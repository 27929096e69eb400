import { type ReactNode, useEffect, useRef } from 'react';
import { isFramed } from '../session/host-page.js';
import { useSession } from '../session/session-context.js';
import { printable } from '../text/untrusted.js';

type PageProps = {
  /** The heading and the title of the window. */
  title: string;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  /** A line below the heading. */
  subtitle?: ReactNode;
  children: ReactNode;
};

// The first page does not move the focus; each later page moves it to its heading.
let isFirstPage = true;

/** A screen with its heading, which gets the focus after a navigation. */
export function Page({ title, actions, subtitle, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { session } = useSession();
  const site = session.theme?.name ?? session.account.name;
  useEffect(() => {
    document.title = `${printable(title)} · ${printable(site)}`;
  }, [title, site]);
  useEffect(() => {
    if (!isFirstPage) {
      window.scrollTo(0, 0);
      // Inside a frame, only focus scrolls the host page.
      heading.current?.focus({ preventScroll: !isFramed });
    }
    isFirstPage = false;
  }, []);
  return (
    <>
      <header className="page-header">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{printable(title)}</bdi>
          </h1>
          {subtitle !== undefined && <p className="subtitle">{subtitle}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
