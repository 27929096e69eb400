import { setTimeout as sleep } from 'node:timers/promises';
import { createProgress } from '@ringback/process/command-line';
import type { Replay } from '@ringback/ledger';

const pollMs = 500;

/**
 * Polls a replay until it ends, and resolves with the ended replay. It shows the replay's id and progress on stderr: a
 * bar on a terminal, or a line for each change elsewhere. With `quiet` it shows nothing.
 */
export async function followReplay(fetchReplay: () => Promise<Replay>, { quiet }: { quiet: boolean }): Promise<Replay> {
  const screen = quiet ? { write: () => undefined } : process.stderr;
  const { id } = await fetchReplay();
  screen.write(`replay ${id}\n`);
  const progress = createProgress(screen);
  let shownText = '';
  progress.startPart('making deliveries due');
  try {
    for (;;) {
      const replay = await fetchReplay();
      const countText = formatCount(replay);
      if (countText !== shownText)
        progress.setStep(countText, replay.total ? replay.replayed / replay.total : undefined);
      shownText = countText;
      if (replay.state !== 'running') return replay;
      await sleep(pollMs);
    }
  } finally {
    progress.close();
  }
}

const formatCount = ({ replayed, total }: Replay) =>
  total === null ? `${replayed} made due` : `${replayed} of ${total}`;
