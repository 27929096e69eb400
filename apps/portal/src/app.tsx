import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch, useLocation } from 'wouter';
import { Announcer } from './components/announcer.js';
import { Skeleton } from './components/states.js';
import { createQueryClient } from './data/query-client.js';
import { confirmLeave } from './data/unsaved-changes.js';
import { Layout } from './layout/layout.js';
import { ScreenBoundary } from './layout/screen-boundary.js';
import { base, preloadOtherScreens, type Route as ScreenRoute, routes } from './routes.js';
import { NotFound } from './screens/not-found.js';
import { SessionGate } from './session/session-gate.js';

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
