/** A terminal, or another output that takes lines. */
export type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export type Progress = {
  /** Starts the next part. */
  startPart(name: string): void;
  /** Names the current step of the part, and its completed fraction from 0 to 1 if known. */
  setStep(step: string, fraction?: number): void;
  /** Sets the completed fraction of the current step, from 0 to 1. */
  setFraction(fraction: number): void;
  /** Clears the line on a terminal, so that other output can be written. */
  clear(): void;
  /** Clears the line and stops redrawing. */
  close(): void;
};

const barCells = 24;
const redrawMs = 500;
const clamp = (fraction: number) => Math.min(1, Math.max(0, fraction));
const replaceLine = (text: string, columns: number) => `\r\u001b[2K${text.slice(0, columns - 1)}`;

/**
 * Creates a progress display: one line with a bar on a terminal, and a plain line for each part and step elsewhere.
 * Parts are numbered when `parts` is more than 1.
 */
export function createProgress(screen: Screen, parts = 1): Progress {
  let number = 0;
  let part = '';
  let step = '';
  let fraction: number | undefined;
  let startedAt = performance.now();
  const draw = () => {
    if (!screen.isTTY || part === '') return;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const bar = fraction === undefined ? '' : `  ${drawBar(fraction)}`;
    screen.write(replaceLine(`${part}: ${step}${bar}  ${seconds} s`, screen.columns ?? 80));
  };
  const timer = screen.isTTY ? setInterval(draw, redrawMs).unref() : undefined;
  return {
    startPart(name) {
      number++;
      part = parts > 1 ? `${number}/${parts} ${name}` : name;
      step = 'starting';
      fraction = undefined;
      startedAt = performance.now();
      if (!screen.isTTY) screen.write(`${part}\n`);
      draw();
    },
    setStep(name, completed) {
      step = name;
      fraction = completed === undefined ? undefined : clamp(completed);
      if (!screen.isTTY) screen.write(`  … ${name}\n`);
      draw();
    },
    setFraction: (completed) => void (fraction = clamp(completed)),
    clear: () => void (screen.isTTY && screen.write(replaceLine('', 80))),
    close() {
      clearInterval(timer);
      if (screen.isTTY) screen.write(replaceLine('', 80));
    },
  };
}

/** Draws a bar such as `██████░░░░ 60 %` for a fraction from 0 to 1. */
export function drawBar(fraction: number): string {
  const full = Math.round(fraction * barCells);
  return `${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${Math.floor(fraction * 100)} %`;
}
