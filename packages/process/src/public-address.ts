import { type Config, ConfigError } from './config.js';
import { servicePathAt } from './variable-parsers.js';

/** Where customers reach Ringback. No URL has a trailing slash. */
export type PublicAddress = {
  /** The API, the portal and the reference are under this URL. */
  publicUrl: string;
  /** The URL of the API: the public URL and the path of the API. */
  baseUrl: string;
};

const defaultApiPath = '/api/v2';

/** The variables with the public address. */
export const addressVariables = ['PUBLIC_URL', 'API_PATH', 'BASE_URL'] as const;

type AddressSettings = {
  /** Undefined if no variable has it. It is then the address on which the API listens. */
  publicUrl: string | undefined;
  /** The path of the API under the public URL, such as `/api/v2`; empty if the API has the public URL itself. */
  apiPath: string;
};

/** Reads the public address. Throws a ConfigError if the variables contradict each other. */
export function readAddressSettings(config: Config<(typeof addressVariables)[number]>): AddressSettings {
  const { PUBLIC_URL: publicUrl, API_PATH: apiPath = defaultApiPath, BASE_URL: baseUrl } = config;
  if (baseUrl === undefined) return { publicUrl, apiPath };
  if (publicUrl !== undefined) {
    if (!isSameUrl(baseUrl, `${publicUrl}${apiPath}`)) {
      throw new ConfigError(
        `BASE_URL contradicts PUBLIC_URL, with which it is ${publicUrl}${apiPath}; remove BASE_URL`,
      );
    }
    return { publicUrl, apiPath };
  }
  if (config.API_PATH !== undefined && !pathOf(baseUrl).endsWith(apiPath)) {
    throw new ConfigError(`BASE_URL contradicts API_PATH: it does not end with ${apiPath}; set PUBLIC_URL instead`);
  }
  const address = addressOfBaseUrl(baseUrl, config.API_PATH);
  const taken = servicePathAt(apiPathOf(address));
  if (taken !== undefined) {
    throw new ConfigError(`BASE_URL must not have the API under ${taken}, which is not part of it; set PUBLIC_URL`);
  }
  return { publicUrl: address.publicUrl, apiPath: apiPathOf(address) };
}

/**
 * The public address of an API with this base URL. The path of the API is `apiPath` if the URL ends with it, else the
 * last two segments of the URL's path.
 */
export function addressOfBaseUrl(url: string, apiPath?: string): PublicAddress {
  const baseUrl = url.replace(/\/+$/, '');
  const path = pathOf(baseUrl);
  const lastTwo = /(\/[^/]+){1,2}$/.exec(path)?.[0] ?? '';
  const ending = apiPath !== undefined && path.endsWith(apiPath) ? apiPath : lastTwo;
  return { publicUrl: baseUrl.slice(0, baseUrl.length - ending.length), baseUrl };
}

/** The path of the API under the public URL. Empty if the API has the public URL itself. */
export const apiPathOf = ({ publicUrl, baseUrl }: PublicAddress): string => baseUrl.slice(publicUrl.length);

/** The path of a URL, empty if it has none. */
export const pathOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '');

const isSameUrl = (a: string, b: string) => new URL(a).href === new URL(b).href;

/** The URL of the page that shows the OpenAPI document. */
export const docsUrlOf = ({ publicUrl }: Pick<PublicAddress, 'publicUrl'>): string => `${publicUrl}/docs`;

/** The link of a portal session. Its token is in the fragment, which browsers do not send to servers. */
export const portalLink = ({ publicUrl }: Pick<PublicAddress, 'publicUrl'>, linkToken: string): string =>
  `${publicUrl}/portal/#session=${linkToken}`;
