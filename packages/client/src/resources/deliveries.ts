import type { List } from '../list.js';
import type { RequestOptions } from '../transport.js';
import type { Delivery, DeliveryDetail, ListParams, Message, Replay, Returned } from '../types.js';
import { pathOf, Resource } from './resource.js';

/** `client.deliveries`: the delivery log */
export class Deliveries extends Resource {
  /** Lists the deliveries, newest first. */
  list(params?: ListParams<'listDeliveries'>, options?: RequestOptions): List<Delivery> {
    return this.listOf('/developer/deliveries', params, options);
  }

  /** A delivery with its attempts. */
  retrieve(id: string, options?: RequestOptions): Promise<Returned<DeliveryDetail>> {
    return this.request({ method: 'GET', path: pathOf`/developer/deliveries/${id}`, options });
  }

  /** Makes one more attempt. */
  resend(id: string, options?: RequestOptions): Promise<Returned<DeliveryDetail>> {
    return this.request({ method: 'POST', path: pathOf`/developer/deliveries/${id}/resend`, options });
  }

  /** A curl command that sends the callback of a delivery. */
  async curl(id: string, options?: RequestOptions): Promise<string> {
    const path = pathOf`/developer/deliveries/${id}/curl`;
    return (await this.request<{ command: string }>({ method: 'GET', path, options })).command;
  }
}

/** `client.messages` */
export class Messages extends Resource {
  /** The events of a message with their deliveries. */
  retrieve(id: string, options?: RequestOptions): Promise<Returned<Message>> {
    return this.request({ method: 'GET', path: pathOf`/developer/messages/${id}`, options });
  }
}

/** `client.replays`. `client.webhooks.replay` starts one. */
export class Replays extends Resource {
  list(params?: ListParams<'listReplays'>, options?: RequestOptions): List<Replay> {
    return this.listOf('/developer/replays', params, options);
  }

  retrieve(id: string, options?: RequestOptions): Promise<Returned<Replay>> {
    return this.request({ method: 'GET', path: pathOf`/developer/replays/${id}`, options });
  }

  cancel(id: string, options?: RequestOptions): Promise<Returned<Replay>> {
    const path = pathOf`/developer/replays/${id}/cancel`;
    return this.request({ method: 'POST', path, isIdempotent: true, options });
  }
}
