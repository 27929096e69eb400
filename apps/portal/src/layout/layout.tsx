import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { Icon } from '../components/badge.js';
import { Button } from '../components/button.js';
import { useIsOnline } from '../data/use-is-online.js';
import { usePreferences } from '../session/preferences.js';
import { Brand } from './brand.js';
import { Navigation } from './navigation.js';
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
