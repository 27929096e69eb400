import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon } from '../components/badge.js';
import { Button } from '../components/button.js';
import { useIsOnline } from '../components/states.js';
import { Untrusted } from '../components/text.js';
import { usePreferences } from '../session/preferences.js';
import { useSession } from '../session/session.js';
import { PreferencesDialog } from './preferences-dialog.js';

/** The layout of all screens: a skip link, the navigation, and the main content. */
export function Layout({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const [menuPath, setMenuPath] = useState<string>();
  const [isDialogOpen, setDialogOpen] = useState(false);
  // On a narrow page, the menu closes when the user navigates.
  const isMenuOpen = menuPath === path;
  return (
    <div className="layout">
      {/* A link to a fragment would replace the session in the URL. */}
      <button type="button" className="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header className="sidebar">
        <div className="sidebar-top">
          <Brand />
          <button
            type="button"
            className="button menu-button"
            aria-expanded={isMenuOpen}
            aria-controls="menu"
            onClick={() => setMenuPath(isMenuOpen ? undefined : path)}
          >
            <Icon name="menu" />
            Menu
          </button>
        </div>
        <div id="menu" className={isMenuOpen ? 'menu open' : 'menu'}>
          <Navigation />
          <div className="sidebar-end">
            <MaskButton />
            <Button variant="quiet" onClick={() => setDialogOpen(true)}>
              Display settings
            </Button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <OfflineNotice />
        {children}
      </main>
      <PreferencesDialog isOpen={isDialogOpen} onClose={() => setDialogOpen(false)} />
    </div>
  );
}

function MaskButton() {
  const { isMasked, change } = usePreferences();
  return (
    <Button variant="quiet" aria-pressed={isMasked} onClick={() => change({ isMasked: !isMasked })}>
      Mask numbers
    </Button>
  );
}

function OfflineNotice() {
  const isOnline = useIsOnline();
  return (
    <div role="status">
      {!isOnline && (
        <p className="notice">You are offline. The data may be out of date, and changes cannot be saved.</p>
      )}
    </div>
  );
}

const items = [
  { href: '/', label: 'Overview' },
  { href: '/webhooks', label: 'Webhooks' },
  { href: '/deliveries', label: 'Deliveries' },
  { href: '/messages', label: 'Messages' },
  { href: '/replays', label: 'Replays' },
  { href: '/developer', label: 'Developer' },
];

/** The links to the screens. The link to the current screen is highlighted. */
function Navigation() {
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

/** The logo and the name of the platform, and the name of the account. */
function Brand() {
  const { theme, account } = useSession().session;
  const [isBroken, setBroken] = useState(false);
  const name = theme?.name ?? null;
  return (
    <div className="brand">
      {theme?.logo_url && !isBroken && (
        <img src={theme.logo_url} alt={name === null ? 'Logo' : ''} onError={() => setBroken(true)} />
      )}
      <div>
        {name !== null && (
          <div className="brand-name">
            <Untrusted text={name} />
          </div>
        )}
        <div className={name === null ? 'brand-name' : 'hint'}>
          <Untrusted text={account.name} />
        </div>
      </div>
    </div>
  );
}
