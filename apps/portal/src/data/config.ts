import { isRecord } from './api-failure.js';

export type Config = {
  /** The path of the API, such as `/api/v2`. */
  apiPath: string;
  /** The origins whose pages may show this page in a frame. */
  frameAncestors: string[];
};

const defaults: Config = { apiPath: '/api/v2', frameAncestors: [] };

let config: Promise<Config> | undefined;

/** The settings that the server gives the page. They are requested once, and again after a failure. */
export function fetchConfig(): Promise<Config> {
  config ??= requestConfig().catch(() => {
    config = undefined;
    return defaults;
  });
  return config;
}

async function requestConfig(): Promise<Config> {
  const response = await fetch('/portal/config.json');
  const body: unknown = await response.json();
  if (!isRecord(body) || typeof body.api !== 'string') throw new Error('This is no configuration.');
  const origins = Array.isArray(body.frame_ancestors) ? body.frame_ancestors : [];
  return { apiPath: body.api, frameAncestors: origins.filter((origin) => typeof origin === 'string') };
}
