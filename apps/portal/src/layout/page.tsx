import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../components/button.js';
import { Untrusted } from '../components/text.js';
import { isFramed } from '../session/host-page.js';
import { useSession } from '../session/session.js';
import { printable } from '../text/untrusted.js';

type PageProps = {
  /** The heading and the title of the window. */
  title: string;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  /** The filters in the URL. Invalid ones are listed. */
  filters?: FilterProblemsProps;
  /** A line below the heading. */
  subtitle?: ReactNode;
  children: ReactNode;
};

// The first page does not move the focus; each later page moves it to its heading.
let isFirstPage = true;

/** A screen with its heading, which gets the focus after a navigation. */
export function Page({ title, actions, subtitle, filters, children }: PageProps) {
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
      {filters && <FilterProblems {...filters} />}
      {children}
    </>
  );
}

type TabsProps<T extends string> = {
  /** Names the tabs, such as "Parts of this webhook". */
  label: string;
  /** The first tab has the URL without a query. */
  tabs: readonly { name: T; label: string }[];
  current: T;
};

/** The tabs of a screen, as links. The query parameter `tab` of the URL selects one. */
export function Tabs<T extends string>({ label, tabs, current }: TabsProps<T>) {
  const [path] = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ name, label: text }, index) => (
          <li key={name}>
            <Link
              href={index === 0 ? path : `${path}?tab=${name}`}
              aria-current={name === current ? 'page' : undefined}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type FilterProblemsProps = { problems: readonly { name: string; problem: string }[]; clear: () => void };

/** Lists the invalid filters in the URL, which are ignored. */
function FilterProblems({ problems, clear }: FilterProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div className="notice danger" role="alert">
      <p>The URL has invalid filters, which are ignored:</p>
      <ul>
        {problems.map(({ name, problem }) => (
          <li key={name}>
            <strong>
              <Untrusted text={name} />
            </strong>
            : {problem}
          </li>
        ))}
      </ul>
      <Button onClick={clear}>Clear all filters</Button>
    </div>
  );
}
