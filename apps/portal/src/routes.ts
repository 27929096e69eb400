import type { ComponentType } from 'react';
import { pathFromPortal } from './api/config.js';

type Screen = { default: ComponentType };
export type Route = {
  path: string;
  load: () => Promise<Screen>;
  /** The screen's component; undefined until its code is loaded. */
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

/** The path of the portal, such as `/portal`. */
export const base = pathFromPortal('.');

/** The screens by path. The first route that matches is used. */
export const routes: Route[] = [
  route('/', () => import('./screens/overview.js')),
  route('/webhooks', () => import('./screens/webhooks/list.js')),
  route('/webhooks/new', () => import('./screens/webhooks/create.js')),
  route('/webhooks/:id/edit', () => import('./screens/webhooks/edit.js')),
  route('/webhooks/:id', () => import('./screens/webhooks/webhook.js')),
  route('/deliveries', () => import('./screens/deliveries/list.js')),
  route('/deliveries/:id', () => import('./screens/deliveries/delivery.js')),
  // A message id may contain any character, so it is the query parameter `id`.
  route('/messages', () => import('./screens/messages/messages.js')),
  route('/replays', () => import('./screens/replays.js')),
  route('/developer', () => import('./screens/developer/developer.js')),
];

/** Loads the code of the screen for a path, before the screen is rendered. */
export async function loadCurrentScreen(pathname: string): Promise<void> {
  const path = pathname.slice(base.length) || '/';
  const route = routes.find((candidate) => isMatch(candidate.path, path));
  // An error is shown when the screen is rendered.
  await route?.load().catch(() => undefined);
}

const preloadDelayMs = 4_000;

/**
 * Loads the code of all screens and of the tab for test calls after a delay, so that they open without waiting. Returns
 * a function that cancels this.
 */
export function preloadOtherScreens(): () => void {
  const load = () =>
    void Promise.allSettled([...routes.map((each) => each.load()), import('./screens/webhooks/test-call.js')]);
  const timer = setTimeout(load, preloadDelayMs);
  return () => clearTimeout(timer);
}

function isMatch(pattern: string, path: string): boolean {
  const patternParts = pattern.split('/');
  const parts = path.replace(/(?<=.)\/$/, '').split('/');
  return (
    patternParts.length === parts.length &&
    patternParts.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}
