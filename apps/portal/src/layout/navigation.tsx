import { Link, useLocation } from 'wouter';

const items = [
  { href: '/', label: 'Overview' },
  { href: '/webhooks', label: 'Webhooks' },
  { href: '/deliveries', label: 'Deliveries' },
  { href: '/messages', label: 'Messages' },
  { href: '/replays', label: 'Replays' },
  { href: '/developer', label: 'Developer' },
];

/** The links to the screens. The link to the current screen is highlighted. */
export function Navigation() {
  const [path] = useLocation();
  return (
    <nav aria-label="Screens">
      <ul>
        {items.map(({ href, label }) => (
          <li key={href}>
            <Link href={href} aria-current={currentOf(href, path)}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function currentOf(href: string, path: string): 'page' | 'true' | undefined {
  if (path === href) return 'page';
  return href !== '/' && path.startsWith(`${href}/`) ? 'true' : undefined;
}
