import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from 'bullmq';
import { openRounds, type WaitingEvent } from './rounds.js';
import { isQueueUnavailable } from './unavailable.js';

/** The jobs that wait in an ingress queue, to be looked at and given places while workers take them. */
export type Line = {
  /**
   * The oldest of those that have no place yet, the oldest first and `most` at most; none when less than `least` wait and
   * nobody has a place. `first` is the lowest place that is waited in.
   */
  look(bounds: { least: number; most: number }): Promise<{ events: WaitingEvent[]; first: number | null }>;
  /**
   * Gives those that still wait their places. They are taken in the order of these, before all that have none. Answers how
   * many there were: none when another worker was faster.
   */
  place(places: Map<string, number>): Promise<number>;
};

// Fewer are taken before they could be placed. More at a time would hold up whoever else needs the engine.
const bounds = { least: 50, most: 500 };
const everyMs = 25;

/**
 * A processor which sees to it, while it has work, that what waits is taken in rounds and not in the order of its
 * coming: a flood of one account would be taken in before everything that was pushed after it.
 */
export function inRounds(line: Line, process: Processor, onError: (error: Error) => void): Processor {
  const rounds = openRounds();
  let isOn = false;
  const placeAll = async () => {
    for (;;) {
      const { events, first } = await line.look(bounds);
      const { places, keep } = rounds.plan(events, first);
      if (events.length > 0 && (await line.place(places)) > 0) keep();
      if (events.length < bounds.most) return;
    }
  };
  const run = async () => {
    isOn = true;
    try {
      await placeAll();
    } catch (error) {
      // They are taken as they came, then.
      if (error instanceof Error && !isQueueUnavailable(error)) onError(error);
    }
    await sleep(everyMs, undefined, { ref: false });
    isOn = false;
  };
  return (...words) => {
    if (!isOn) void run();
    return process(...words);
  };
}
