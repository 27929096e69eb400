import { setTimeout as sleep } from 'node:timers/promises';
import type { Replay } from '@ringback/database';
import { openProgress } from '@ringback/runtime';

const everyMs = 500;

/**
 * Looks at a replay until it has ended. Meanwhile stderr shows how far it is: a bar on a terminal, a line for each step
 * elsewhere, and nothing when `quiet`.
 */
export async function followReplay(look: () => Promise<Replay>, { quiet }: { quiet: boolean }): Promise<Replay> {
  const screen = quiet ? { write: () => undefined } : process.stderr;
  const { id } = await look();
  screen.write(`replay ${id}\n`);
  const progress = openProgress(screen);
  let told = '';
  progress.part('sending again');
  try {
    for (;;) {
      const replay = await look();
      const far = describe(replay);
      if (far !== told) progress.say(far, replay.total ? replay.replayed / replay.total : undefined);
      told = far;
      if (replay.state !== 'running') return replay;
      await sleep(everyMs);
    }
  } finally {
    progress.close();
  }
}

const describe = ({ replayed, total }: Replay) => (total === null ? `${replayed} sent` : `${replayed} of ${total}`);
