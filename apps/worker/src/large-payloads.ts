import { setTimeout as sleep } from 'node:timers/promises';
import { plainBody } from '@ringback/rules';
import type { DeliveryTask } from '@ringback/ledger';
import type { Recorder } from './recorder.js';

const maxBytesPerMs = 100_000;

/** `encodedPlainBody`: the bytes of `plainBody`, which attempts share. */
export type LargePayload = { payload: string; encodedPlainBody: Buffer };

/**
 * The payloads above 64 KiB, which are not part of their tasks. Concurrent attempts for one event share its payload.
 * Attempts with such payloads start at a rate of at most 100 MB a second: signing and sending that much takes half of
 * a worker's time.
 */
export class LargePayloads {
  readonly #recorder: Pick<Recorder, 'loadPayload'>;
  readonly #shared = new Map<string, { userCount: number; loaded: Promise<LargePayload | undefined> }>();
  #nextStart: Promise<void> = Promise.resolve();

  constructor(recorder: Pick<Recorder, 'loadPayload'>) {
    this.#recorder = recorder;
  }

  /**
   * Resolves with the payload of a task when it may be sent, which may be at most at `sendByMonotonicMs`, a time of
   * `performance.now()`. Resolves with undefined if its event was deleted. Each call must be followed by one of
   * `release`.
   */
  async load(task: DeliveryTask, sendByMonotonicMs: number): Promise<LargePayload | undefined> {
    const entry = this.#shared.get(task.eventId) ?? { userCount: 0, loaded: this.#read(task) };
    this.#shared.set(task.eventId, entry);
    entry.userCount++;
    const payload = await entry.loaded;
    if (payload === undefined) return undefined;
    const start = this.#nextStart;
    // A payload whose turn comes too late is not sent, so the next one need not wait for it.
    this.#nextStart = start.then(() =>
      performance.now() > sendByMonotonicMs ? undefined : sleep(payload.encodedPlainBody.length / maxBytesPerMs),
    );
    await start;
    return payload;
  }

  /** Frees a payload when no other attempt uses it. */
  release({ eventId }: DeliveryTask): void {
    const entry = this.#shared.get(eventId);
    if (entry && --entry.userCount === 0) this.#shared.delete(eventId);
  }

  async #read({ eventId, eventName }: DeliveryTask): Promise<LargePayload | undefined> {
    const payload = await this.#recorder.loadPayload(eventId);
    if (payload === undefined) return undefined;
    return { payload, encodedPlainBody: Buffer.from(plainBody(eventName, payload), 'utf8') };
  }
}
