import { InvalidArgumentError, Option } from 'commander';
import { readRunningService } from '@ringback/process/command-line';
import { commandFor, OperatorError } from '@ringback/process';

/** Creates the option `--url <url>`, which BASE_URL also sets. Without both, `chooseBaseUrl` finds the value. */
export function baseUrlOption(description = 'base URL of the API'): Option {
  const fallback = `that of the \`${commandFor('start')}\` that runs in this folder`;
  return new Option('--url <url>', `${description} (default: ${fallback})`)
    .env('BASE_URL')
    .argParser((text) => parseUrl(text).href);
}

/**
 * The base URL of the API: the given one, or that of the `npm start` that runs in this folder. Throws an OperatorError
 * when there is neither. No fixed URL is the default, because the access token would be sent to whatever program uses
 * its port.
 */
export function chooseBaseUrl(given: string | undefined): string {
  const url = given ?? readRunningService()?.baseUrl;
  if (url === undefined) {
    throw new OperatorError(
      `the address of the API is unknown: give --url (or BASE_URL), or run \`${commandFor('start')}\` in this folder`,
    );
  }
  return parseUrl(url).href.replace(/\/+$/, '');
}

/** An argument parser for http and https URLs. */
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
