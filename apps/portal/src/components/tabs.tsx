import { Link, useLocation } from 'wouter';

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
