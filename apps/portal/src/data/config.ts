import { isRecord } from './failure.js';

const defaultPath = '/api/v2';

/** The path of the API, as the server that serves the page tells it. */
export async function fetchApiPath(): Promise<string> {
  try {
    const response = await fetch('/portal/config.json');
    const config: unknown = await response.json();
    return isRecord(config) && typeof config.api === 'string' ? config.api : defaultPath;
  } catch {
    return defaultPath;
  }
}
