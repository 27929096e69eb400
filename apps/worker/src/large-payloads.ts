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
   * Resolves with the payload of a task when it may be sent, which may be at most at `sendByMonotonicMs`, a time of
   * `performance.now()`. Resolves with undefined if its event was deleted, or if there is no memory for it until then.
   * Each call must be followed by one of `release`.
   */
  async load(task: DeliveryTask, sendByMonotonicMs: number): Promise<LargePayload | undefined> {
    const entry = this.#shared.get(task.eventId) ?? this.#open(task, sendByMonotonicMs);
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
    if (!entry || --entry.userCount > 0) return;
    this.#shared.delete(eventId);
    this.#memory.release(entry.heldBytes);
  }

  #open(task: DeliveryTask, sendByMonotonicMs: number): Shared {
    const entry: Shared = { userCount: 0, heldBytes: 0, loaded: Promise.resolve(undefined) };
    entry.loaded = this.#read(task, entry, sendByMonotonicMs);
    this.#shared.set(task.eventId, entry);
    return entry;
  }

  async #read(
    { eventId, eventName }: DeliveryTask,
    entry: Shared,
    sendByMonotonicMs: number,
  ): Promise<LargePayload | undefined> {
    const bytes = await this.#recorder.payloadBytes(eventId);
    if (bytes === undefined || !(await this.#memory.acquire(bytes, sendByMonotonicMs))) return undefined;
    entry.heldBytes = bytes;
    const payload = await this.#recorder.loadPayload(eventId);
    if (payload === undefined) return undefined;
    return { payload, encodedPlainBody: Buffer.from(plainBody(eventName, payload), 'utf8') };
  }
}
