import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch, useLocation } from 'wouter';
import { OfflineFailure, toApiFailure } from './api/failure.js';
import { Announcer } from './components/announcer.js';
import { ButtonLink } from './components/button.js';
import { EmptyState, ErrorState, Skeleton } from './components/states.js';
import { Layout } from './layout/layout.js';
import { Page } from './layout/page.js';
import { SessionGate } from './layout/session-gate.js';
import { confirmLeave } from './layout/unsaved-changes.js';
import { createQueryClient } from './resources/requests.js';
import { base, preloadOtherScreens, type Route as ScreenRoute, routes } from './routes.js';

const screens = routes.map((route) => ({ path: route.path, screen: screenOf(route) }));

/**
 * A component that renders a screen without a fallback if its code is loaded. `lazy` alone renders the fallback first,
 * which React shows for at least 300 ms.
 */
function screenOf({ load, loaded }: ScreenRoute): ComponentType {
  const LazyScreen = lazy(load);
  return function LoadedOrLazyScreen() {
    const [Component] = useState<ComponentType>(() => loaded() ?? LazyScreen);
    return <Component />;
  };
}

/** Renders the portal into the page. */
export function renderApp(): void {
  const root = document.getElementById('portal');
  if (root) createRoot(root).render(<App />);
}

function App() {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <Router base={base} aroundNav={(navigate, to, options) => confirmLeave() && navigate(to, options)}>
        <Announcer>
          <SessionGate>
            <Layout>
              <CurrentScreen />
            </Layout>
          </SessionGate>
        </Announcer>
      </Router>
    </QueryClientProvider>
  );
}

function CurrentScreen() {
  const [path] = useLocation();
  useEffect(preloadOtherScreens, []);
  return (
    <ScreenBoundary key={path}>
      <Suspense fallback={<Skeleton height="36rem" />}>
        <Switch>
          {screens.map(({ path: pattern, screen }) => (
            <Route key={pattern} path={pattern} component={screen} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </ScreenBoundary>
  );
}

function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState title="There is no such page.">
        <ButtonLink href="/">Go to the overview</ButtonLink>
      </EmptyState>
    </Page>
  );
}

type Props = { children: ReactNode };

/** An error boundary: shows an error instead of a screen that throws or whose code could not be loaded. */
class ScreenBoundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const failure = isLoadError(this.state.error) ? new OfflineFailure() : toApiFailure(this.state.error);
    return (
      <>
        <h1>This screen cannot be shown</h1>
        <ErrorState failure={failure} onRetry={() => window.location.reload()} />
      </>
    );
  }
}

/**
 * Whether code could not be loaded, for which browsers have no error class. After a release, the old files are gone,
 * and a reload loads the new ones.
 */
const isLoadError = (error: unknown) =>
  error instanceof Error && /dynamically imported|importing a module|preload CSS/i.test(error.message);
