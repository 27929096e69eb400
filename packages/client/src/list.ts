import type { LastResponse, Query, RequestOptions, Transport } from './transport.js';

/** A page of a list. */
export type Page<T> = {
  readonly data: T[];
  readonly hasMore: boolean;
  /** The number of all items, where the server counts them: in lists of webhooks and subscriptions. */
  readonly total: number | undefined;
  /** Fetches the next page. Undefined on the last page. */
  nextPage(): Promise<Page<T>> | undefined;
  readonly lastResponse: LastResponse;
};

type Meta = {
  current_page?: number;
  last_page?: number;
  per_page?: number;
  total?: number;
  next_cursor?: string | null;
};

type ListRequest = { path: string; query?: Query | undefined; options?: RequestOptions | undefined };

/**
 * A list: `await` it for its first page, or iterate over the items of all pages, which are fetched as they are needed.
 *
 *     const { data } = await client.webhooks.list({ per_page: 5 });
 *     for await (const webhook of client.webhooks.list()) console.log(webhook.name);
 *
 * Nothing is requested before that. An iteration visits an item once, also when others are created or deleted
 * meanwhile.
 */
export class List<T extends object> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #request: ListRequest;
  #first: Promise<FetchedPage<T>> | undefined;

  constructor(transport: Transport, request: ListRequest) {
    this.#transport = transport;
    this.#request = request;
  }

  /** Fetches the first page. */
  then<R = Page<T>, E = never>(
    onFulfilled?: ((page: Page<T>) => R | PromiseLike<R>) | null,
    onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#fetchFirst().then(onFulfilled, onRejected);
  }

  catch<E = never>(onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null): Promise<Page<T> | E> {
    return this.#fetchFirst().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.#fetchFirst().finally(onFinally);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // Items of a numbered list move to later pages when others are created. With a cursor nothing moves.
    const seen = new Set<unknown>();
    let page: FetchedPage<T> | undefined = await this.#fetch(this.#request.query ?? {});
    while (page) {
      const isNumbered = page.meta.current_page !== undefined;
      for (const item of page.data) {
        const id = 'id' in item ? item.id : item;
        if (!seen.has(id)) yield item;
        if (isNumbered) seen.add(id);
      }
      page = await this.#fetchUnshifted(page);
    }
  }

  /** Collects the items of all pages, at most `limit`. */
  async toArray({ limit = Infinity }: { limit?: number } = {}): Promise<T[]> {
    const items: T[] = [];
    if (limit <= 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }

  /**
   * The next page. When items of a numbered list were deleted meanwhile, those after them have moved to earlier pages,
   * so it goes back by as many.
   */
  async #fetchUnshifted(page: FetchedPage<T>): Promise<FetchedPage<T> | undefined> {
    if (page.next === undefined) return undefined;
    const next = await this.#fetch(page.next);
    const { current_page: number = 1, per_page: perPage = 1, total = 0 } = next.meta;
    const missing = (page.meta.total ?? 0) - total;
    if (missing <= 0 || page.meta.total === undefined) return next;
    return this.#fetch({ ...page.next, page: Math.max(1, number - Math.ceil(missing / perPage)) });
  }

  #fetchFirst(): Promise<FetchedPage<T>> {
    return (this.#first ??= this.#fetch(this.#request.query ?? {}));
  }

  async #fetch(query: Query): Promise<FetchedPage<T>> {
    const { path, options } = this.#request;
    const { envelope, lastResponse } = await this.#transport.send({ method: 'GET', path, query, options });
    const meta = (envelope.meta ?? {}) as Meta;
    const next = nextQuery(query, meta);
    return {
      data: envelope.data as T[],
      hasMore: next !== undefined,
      total: meta.total,
      nextPage: () => (next === undefined ? undefined : this.#fetch(next)),
      lastResponse,
      meta,
      next,
    };
  }
}

type FetchedPage<T> = Page<T> & { readonly meta: Meta; readonly next: Query | undefined };

/** The query of the next page. It is not taken from `links`, whose host may be one that this client does not reach. */
function nextQuery(query: Query, meta: Meta): Query | undefined {
  if (meta.next_cursor) return { ...query, cursor: meta.next_cursor };
  const { current_page: current, last_page: last } = meta;
  return current !== undefined && last !== undefined && current < last ? { ...query, page: current + 1 } : undefined;
}
