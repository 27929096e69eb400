import type { ComponentType } from 'react';

type Screen = { default: ComponentType };
export type Route = {
  path: string;
  load: () => Promise<Screen>;
  /** The screen's component once its code has been loaded. */
  loaded: () => ComponentType | undefined;
};

function route(path: string, importScreen: Route['load']): Route {
  let component: ComponentType | undefined;
  const load = async () => {
    const screen = await importScreen();
    component = screen.default;
    return screen;
  };
  return { path, load, loaded: () => component };
}

/** The path of the page. */
export const base = '/portal';

/** The first route that matches the path shows its screen. */
export const routes: Route[] = [
  route('/', () => import('./screens/overview/index.js')),
  route('/webhooks', () => import('./screens/webhooks/index.js')),
  route('/webhooks/new', () => import('./screens/webhook-form/create.js')),
  route('/webhooks/:id/edit', () => import('./screens/webhook-form/edit.js')),
  route('/webhooks/:id', () => import('./screens/webhook/index.js')),
  route('/deliveries', () => import('./screens/deliveries/index.js')),
  route('/deliveries/:id', () => import('./screens/delivery/index.js')),
  // The id of a message may hold any character, so it is the parameter `id` of the query.
  route('/messages', () => import('./screens/message/index.js')),
  route('/replays', () => import('./screens/replays/index.js')),
  route('/developer', () => import('./screens/developer/index.js')),
];

/** Starts to load the screen of a path before it is rendered. */
export async function loadCurrentScreen(pathname: string): Promise<void> {
  const path = pathname.slice(base.length) || '/';
  const found = routes.find((candidate) => isMatch(candidate.path, path));
  // An error is shown when the screen is rendered.
  await found?.load().catch(() => undefined);
}

const othersAfterMs = 4_000;

/** Loads the code of all screens after the first one, so that they open at once, and without a network. */
export function loadOtherScreens(): () => void {
  const load = () =>
    void Promise.allSettled([...routes.map((each) => each.load()), import('./screens/webhook/test-call.js')]);
  const timer = setTimeout(load, othersAfterMs);
  return () => clearTimeout(timer);
}

function isMatch(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const parts = path.replace(/(?<=.)\/$/, '').split('/');
  return wanted.length === parts.length && wanted.every((part, index) => part.startsWith(':') || part === parts[index]);
}
