import { setTimeout as sleep } from 'node:timers/promises';
import { plainBody } from '@ringback/rules';
import type { DeliveryTask } from '@ringback/ledger';
import { ByteSemaphore } from '@ringback/process';
import type { Recorder } from './recorder.js';

const maxBytesPerMs = 100_000;
// What a worker holds of large payloads. Each takes about three times its size: as text, and as the bytes of bodies.
const maxHeldBytes = 64 * 2 ** 20;

/** `encodedPlainBody`: the bytes of `plainBody`, which attempts share. */
export type LargePayload = { payload: string; encodedPlainBody: Buffer };

type Shared = { userCount: number; heldBytes: number; loaded: Promise<LargePayload | undefined> };

/**
 * The payloads above 64 KiB, which are not part of their tasks. Concurrent attempts for one event share its payload.
 * A worker holds at most 64 MiB of them, or one that is larger. Attempts with such payloads start at a rate of at most
 * 100 MB a second: signing and sending that much takes half of a worker's time.
 */
export class LargePayloads {
  readonly #recorder: Pick<Recorder, 'loadPayload' | 'payloadBytes'>;
  readonly #shared = new Map<string, Shared>();
  readonly #memory = new ByteSemaphore(maxHeldBytes);
  #nextStart: Promise<void> = Promise.resolve();

  constructor(recorder: Pick<Recorder, 'loadPayload' | 'payloadBytes'>) {
    this.#recorder = recorder;
  }

  /**
   * Runs an attempt with the payload of its task, when that may be sent, which may be at most at `sendByMonotonicMs`, a
   * time of `performance.now()`. Runs it with undefined if the event was deleted, or if there was no memory in time.
   */
  async use<T>(
    task: DeliveryTask,
    sendByMonotonicMs: number,
    attempt: (payload: LargePayload | undefined) => Promise<T>,
  ): Promise<T> {
    const { eventId } = task;
    const shared = this.#shared.get(eventId) ?? this.#open(task, sendByMonotonicMs);
    shared.userCount++;
    try {
      const payload = await shared.loaded;
      if (payload !== undefined) await this.#waitForTurn(payload, sendByMonotonicMs);
      return await attempt(payload);
    } finally {
      if (--shared.userCount === 0) {
        if (this.#shared.get(eventId) === shared) this.#shared.delete(eventId);
        this.#memory.release(shared.heldBytes);
      }
    }
  }

  async #waitForTurn({ encodedPlainBody }: LargePayload, sendByMonotonicMs: number): Promise<void> {
    const start = this.#nextStart;
    // A payload whose turn comes too late is not sent, so the next one need not wait for it.
    this.#nextStart = start.then(() =>
      performance.now() > sendByMonotonicMs ? undefined : sleep(encodedPlainBody.length / maxBytesPerMs),
    );
    await start;
  }

  #open(task: DeliveryTask, sendByMonotonicMs: number): Shared {
    const shared: Shared = { userCount: 0, heldBytes: 0, loaded: Promise.resolve(undefined) };
    shared.loaded = this.#read(task, shared, sendByMonotonicMs);
    this.#shared.set(task.eventId, shared);
    // Later attempts load it again: what was missing may be there then.
    const forget = () => void this.#shared.delete(task.eventId);
    shared.loaded.then((payload) => payload ?? forget(), forget);
    return shared;
  }

  async #read(
    { eventId, eventName }: DeliveryTask,
    shared: Shared,
    sendByMonotonicMs: number,
  ): Promise<LargePayload | undefined> {
    const bytes = await this.#recorder.payloadBytes(eventId);
    if (bytes === undefined || !(await this.#memory.acquire(bytes, sendByMonotonicMs))) return undefined;
    shared.heldBytes = bytes;
    const payload = await this.#recorder.loadPayload(eventId);
    if (payload === undefined) return undefined;
    return { payload, encodedPlainBody: Buffer.from(plainBody(eventName, payload), 'utf8') };
  }
}
