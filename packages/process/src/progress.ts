/** A terminal, or another output that takes lines. */
export type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export type Progress = {
  startPart(name: string): void;
  /** Names the current step of the part, and the completed fraction of the step, from 0 to 1, if it is known. */
  setStep(step: string, fraction?: number): void;
  /** Sets the completed fraction of the current step, from 0 to 1. The next redraw shows it. */
  setFraction(fraction: number): void;
  /** On a terminal, clears the line until the next redraw, so that other output can be written. */
  clear(): void;
  /** On a terminal, clears the line and stops redrawing. */
  close(): void;
};

const barCells = 24;
const redrawMs = 500;
const clamp = (fraction: number) => Math.min(1, Math.max(0, fraction));
const replaceLine = (text: string, columns: number) => `\r\u001b[2K${text.slice(0, columns - 1)}`;

/**
 * Creates a progress display. On a terminal, it is one line, redrawn every 0.5 s, with a bar if the completed fraction
 * is known; elsewhere, a plain line for each part and each step. Parts are numbered if `partCount` is more than 1.
 */
export function createProgress(screen: Screen, partCount = 1): Progress {
  let partNumber = 0;
  let part = '';
  let step = '';
  let fraction: number | undefined;
  let partStartedAtMonotonicMs = performance.now();
  const draw = () => {
    if (!screen.isTTY || part === '') return;
    const seconds = Math.round((performance.now() - partStartedAtMonotonicMs) / 1_000);
    const bar = fraction === undefined ? '' : `  ${drawBar(fraction)}`;
    screen.write(replaceLine(`${part}: ${step}${bar}  ${seconds} s`, screen.columns ?? 80));
  };
  const timer = screen.isTTY ? setInterval(draw, redrawMs).unref() : undefined;
  return {
    startPart(name) {
      partNumber++;
      part = partCount > 1 ? `${partNumber}/${partCount} ${name}` : name;
      step = 'starting';
      fraction = undefined;
      partStartedAtMonotonicMs = performance.now();
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

/** Draws a fraction from 0 to 1 as a bar of 24 cells and a percentage: `████████████░░░░░░░░░░░░ 50 %`. */
export function drawBar(fraction: number): string {
  const fullCells = Math.round(fraction * barCells);
  return `${'█'.repeat(fullCells)}${'░'.repeat(barCells - fullCells)} ${Math.floor(fraction * 100)} %`;
}
