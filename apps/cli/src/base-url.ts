import { InvalidArgumentError } from 'commander';
import { readRunning, StartError } from '@ringback/runtime';
import { root } from './connect.js';

/**
 * The base URL of the API that a token may be sent to: the one that is given, else that of the `npm start` which runs
 * in this folder. There is no default: a token is a secret, and who listens on a port is anybody's guess.
 */
export function chooseBaseUrl(given: string | undefined): string {
  const url = given ?? readRunning(root)?.baseUrl;
  if (url === undefined) {
    throw new StartError(
      'give --url (or BASE_URL), or run `npm start` in this folder: it is not known where the API is',
    );
  }
  return parseUrl(url).href.replace(/\/+$/, '');
}

/** Reads an http or https URL from the command line. */
export function parseUrl(text: string): URL {
  const url = tryUrl(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('It must be an http or https URL.');
}

function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
