import { isRecord } from './failure.js';

type Config = {
  /** The path of the API, such as `/api/v2`. */
  apiPath: string;
  /** The origins whose pages may show this page in a frame. */
  frameAncestors: string[];
  /** What the names of a callback's headers begin with. */
  headerPrefix: string;
};

// The built code is in the folder `assets` of the portal, and in development this file is in the folder `api`.
const here = import.meta.url;

/** Resolves a path that is relative to the portal's own, such as `../docs`. It has no trailing slash. */
export const pathFromPortal = (relative: string): string =>
  new URL(relative, new URL('..', here)).pathname.replace(/\/$/, '');

const defaults: Config = { apiPath: pathFromPortal('../api/v2'), frameAncestors: [], headerPrefix: '' };

let config: Promise<Config> | undefined;

/** Fetches the portal's settings once. After a failure, it returns the defaults, and the next call fetches again. */
export function fetchConfig(): Promise<Config> {
  config ??= requestConfig().catch(() => {
    config = undefined;
    return defaults;
  });
  return config;
}

async function requestConfig(): Promise<Config> {
  const response = await fetch(pathFromPortal('config.json'));
  const body: unknown = await response.json();
  if (!isRecord(body) || typeof body.api !== 'string') throw new Error('The response is not a configuration.');
  const origins = Array.isArray(body.frame_ancestors) ? body.frame_ancestors : [];
  return {
    apiPath: pathFromPortal(body.api),
    frameAncestors: origins.filter((origin) => typeof origin === 'string'),
    headerPrefix: typeof body.header_prefix === 'string' ? body.header_prefix : '',
  };
}
