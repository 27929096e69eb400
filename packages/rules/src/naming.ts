import type { EventName } from './event.js';

/** The product's name and header prefix unless the operator sets others. */
export const defaultProductName = 'Ringback';
export const defaultHeaderPrefix = 'X-Ringback-';
export const defaultUserAgent = '{PRODUCT_NAME}/{version}';

/** What a value of `CALLBACK_HEADERS` can name. `timestamp` is the start of the attempt in Unix seconds. */
export type HeaderValues = {
  event: EventName;
  event_id: string;
  delivery_id: string;
  attempt: number;
  account_id: string;
  webhook_id: string;
  timestamp: number;
};

const placeholderNames: readonly (keyof HeaderValues)[] = [
  'event',
  'event_id',
  'delivery_id',
  'attempt',
  'account_id',
  'webhook_id',
  'timestamp',
];

/** A header of `CALLBACK_HEADERS`: texts, and between them the names of values. */
type HeaderTemplate = { name: string; texts: string[]; names: (keyof HeaderValues)[] };

/** The headers that the operator adds to every callback. */
export type CallbackHeaders = { constant: Record<string, string>; templates: HeaderTemplate[] };

export type NamingSettings = {
  productName: string;
  headerPrefix: string;
  /** May have `{PRODUCT_NAME}` and `{version}`. */
  userAgent: string;
  callbackHeaders: CallbackHeaders;
};

export const defaultNaming: NamingSettings = {
  productName: defaultProductName,
  headerPrefix: defaultHeaderPrefix,
  userAgent: defaultUserAgent,
  callbackHeaders: { constant: {}, templates: [] },
};

/** The names of the headers that say which callback a request is. */
export type HeaderNames = Record<'event' | 'delivery' | 'attempt' | 'eventId' | 'receivedAt' | 'test', string>;

const headerNamesByPrefix = new Map<string, HeaderNames>();

/** The header names with a prefix. */
export function headerNamesOf(prefix: string): HeaderNames {
  const known = headerNamesByPrefix.get(prefix);
  if (known) return known;
  const names = {
    event: `${prefix}Event`,
    delivery: `${prefix}Delivery`,
    attempt: `${prefix}Attempt`,
    eventId: `${prefix}Event-Id`,
    receivedAt: `${prefix}Received-At`,
    test: `${prefix}Test`,
  };
  if (headerNamesByPrefix.size < 100) headerNamesByPrefix.set(prefix, names);
  return names;
}

/** Under which name requests are sent. Made once in a process, so that a callback costs the same under any name. */
export type Naming = {
  headerPrefix: string;
  headerNames: HeaderNames;
  /** The same in every request to a receiver. */
  constantHeaders: Record<string, string>;
  templates: HeaderTemplate[];
};

export function createNaming(settings: NamingSettings, version: string): Naming {
  const { headerPrefix, callbackHeaders } = settings;
  return {
    headerPrefix,
    headerNames: headerNamesOf(headerPrefix),
    constantHeaders: {
      'User-Agent': userAgentOf(settings, version),
      'Accept-Encoding': 'identity',
      ...callbackHeaders.constant,
    },
    templates: callbackHeaders.templates,
  };
}

function userAgentOf({ productName, userAgent }: NamingSettings, version: string): string {
  // A header is ASCII. A name that has nothing in ASCII leaves the version's product unnamed.
  const plain = productName.normalize('NFKD').replace(/[^ -~]/g, '');
  return userAgent.replace(/\{(PRODUCT_NAME|version)\}/g, (_all, name) =>
    name === 'version' ? version : plain.trim() || 'Webhooks',
  );
}

/** Adds the headers whose values differ from callback to callback. */
export function addTemplatedHeaders(
  headers: Record<string, string>,
  templates: readonly HeaderTemplate[],
  values: HeaderValues,
): void {
  for (const { name, texts, names } of templates) {
    let value = texts[0] ?? '';
    for (let index = 0; index < names.length; index++) {
      const key = names[index];
      value += (key === undefined ? '' : String(values[key])) + (texts[index + 1] ?? '');
    }
    headers[name] = value;
  }
}

const maxHeaders = 20;
const maxHeaderBytes = 4_096;
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const headerValue = /^[!-~]([ -~]*[!-~])?$/;
// Hop-by-hop headers, those that say how the request is read, and those that Ringback itself sends.
const refusedNames =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|content-.*|signature|authorization|webhook-.*|accept-encoding|user-agent)$/i;

/**
 * Parses `CALLBACK_HEADERS`: a JSON object of at most 20 names and values, 4 KiB in all. Throws an Error that names the
 * first wrong header.
 */
export function parseCallbackHeaders(text: string): CallbackHeaders {
  const entries = Object.entries(parseObject(text));
  if (entries.length > maxHeaders) throw new Error(`must have at most ${maxHeaders} headers`);
  if (Buffer.byteLength(text) > maxHeaderBytes) throw new Error(`must be at most ${maxHeaderBytes} bytes`);
  const lowerCaseNames = new Set<string>();
  const headers: CallbackHeaders = { constant: {}, templates: [] };
  for (const [name, value] of entries) {
    if (!headerName.test(name)) throw new Error(`has ${JSON.stringify(name)}, which is not the name of a header`);
    if (refusedNames.test(name)) throw new Error(`must not set ${name}`);
    if (lowerCaseNames.has(name.toLowerCase())) throw new Error(`has ${name} twice`);
    lowerCaseNames.add(name.toLowerCase());
    if (typeof value !== 'string' || !headerValue.test(value))
      throw new Error(`must have printable ASCII text as the value of ${name}`);
    const template = parseValue(name, value);
    if (template.names.length === 0) headers.constant[name] = value;
    else headers.templates.push(template);
  }
  return headers;
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same message as for other JSON.
  }
  throw new Error('must be a JSON object of header names and values, such as {"X-Tenant": "{{account_id}}"}');
}

function parseValue(name: string, value: string): HeaderTemplate {
  const parts = value.split(/\{\{\s*([^{}]*?)\s*\}\}/);
  const names = parts
    .filter((_, index) => index % 2 === 1)
    .map((part) => {
      const known = placeholderNames.find((candidate) => candidate === part);
      if (known === undefined)
        throw new Error(`has {{${part}}} in ${name}; the placeholders are ${placeholderNames.join(', ')}`);
      return known;
    });
  const texts = parts.filter((_, index) => index % 2 === 0);
  if (texts.some((part) => part.includes('{{') || part.includes('}}'))) throw new Error(`has stray braces in ${name}`);
  return { name, texts, names };
}

/** The first header of the operator that has the prefix of Ringback's own ones. */
export function headerWithPrefix({ constant, templates }: CallbackHeaders, prefix: string): string | undefined {
  const names = [...Object.keys(constant), ...templates.map(({ name }) => name)];
  return names.find((name) => name.toLowerCase().startsWith(prefix.toLowerCase()));
}

const prefixForm = /^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*-$/;
const refusedPrefix = /^(content|proxy|webhook|sec|accept|user|transfer|keep)-$/i;

/** Whether a text can be `HEADER_PREFIX`: words with a hyphen after each, which no standard header begins with. */
export const isHeaderPrefix = (text: string): boolean =>
  text.length <= 40 && prefixForm.test(text) && !refusedPrefix.test(text);

const ownNames = /X-Ringback-|Ringback/g;

/** Replaces the product's own name and header prefix in a text by those of the operator. */
export const rename = (text: string, { productName, headerPrefix }: ProductNames): string =>
  text.replace(ownNames, (own) => (own === defaultProductName ? productName : headerPrefix));

/** What customers see of the operator's names. */
export type ProductNames = Pick<NamingSettings, 'productName' | 'headerPrefix'>;
