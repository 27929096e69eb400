/** Where progress is shown: a terminal, or anything that takes lines. */
export type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export type Progress = {
  /** Begins the next part. */
  part(name: string): void;
  /** The next step of the part, and how far that is already. */
  say(what: string, share?: number): void;
  /** How far the step is, from 0 to 1. */
  at(share: number): void;
  /** Leaves the line to other output. */
  clear(): void;
  close(): void;
};

const cells = 24;
const within = (share: number) => Math.min(1, Math.max(0, share));
const line = (text: string, columns: number) => `\r\u001b[2K${text.slice(0, columns - 1)}`;

/** Shows a bar on a terminal, and plain lines elsewhere. `parts` is how many are to come; of one, no number is shown. */
export function openProgress(screen: Screen, parts = 1): Progress {
  let number = 0;
  let name = '';
  let step = '';
  let share: number | undefined;
  let since = performance.now();
  const draw = () => {
    if (!screen.isTTY || name === '') return;
    const seconds = Math.round((performance.now() - since) / 1_000);
    const bar = share === undefined ? '' : `  ${drawBar(share)}`;
    screen.write(line(`${name}: ${step}${bar}  ${seconds} s`, screen.columns ?? 80));
  };
  const timer = screen.isTTY ? setInterval(draw, 500).unref() : undefined;
  return {
    part(which) {
      number++;
      [name, step, share, since] = [
        parts > 1 ? `${number}/${parts} ${which}` : which,
        'starting',
        undefined,
        performance.now(),
      ];
      if (!screen.isTTY) screen.write(`${name}\n`);
      draw();
    },
    say(what, already) {
      [step, share] = [what, already === undefined ? undefined : within(already)];
      if (!screen.isTTY) screen.write(`  … ${what}\n`);
      draw();
    },
    at: (next) => void (share = within(next)),
    clear: () => void (screen.isTTY && screen.write(line('', 80))),
    close() {
      clearInterval(timer);
      if (screen.isTTY) screen.write(line('', 80));
    },
  };
}

/** A bar such as `██████░░░░ 60 %`. */
export function drawBar(share: number): string {
  const full = Math.round(share * cells);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${Math.floor(share * 100)} %`;
}
