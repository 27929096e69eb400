import { List } from '../list.js';
import type { Call, Query, RequestOptions, Transport } from '../transport.js';
import type { Returned } from '../types.js';

/** A group of the API's paths. */
export class Resource {
  protected readonly transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** The `data` of a response, with the rest of it in `lastResponse`. */
  protected async request<T extends object>(call: Call): Promise<Returned<T>> {
    const { envelope, lastResponse } = await this.transport.send(call);
    return Object.defineProperty(envelope.data as T, 'lastResponse', { value: lastResponse }) as Returned<T>;
  }

  protected listOf<T extends object>(path: string, query?: Query, options?: RequestOptions): List<T> {
    return new List<T>(this.transport, { path, query, options });
  }
}

/** A path with its ids encoded. An id that would change the path is a TypeError. */
export function pathOf(parts: TemplateStringsArray, ...ids: (string | number)[]): string {
  const texts = ids.map((id) => {
    const text = String(id ?? '');
    if (text === '' || text === '.' || text === '..') throw new TypeError(`the id is ${text === '' ? 'empty' : text}`);
    return encodeURIComponent(text);
  });
  return String.raw(parts, ...texts);
}
