// Like prepare.mjs, this file must run on old versions of Node.

/**
 * Shows the elapsed time of a step on stderr. On a terminal it redraws one line each second; elsewhere it prints a line
 * at the start and every ten seconds. `setDetail` sets the detail at the end of the line, and `end` stops the display.
 */
export function showElapsed(name, screen = process.stderr, intervalMs = screen.isTTY ? 1000 : 10000) {
  const startedAt = Date.now();
  let detail = '';
  const line = () => `${name} ... ${Math.round((Date.now() - startedAt) / 1000)} s${detail && `, ${detail}`}`;
  const draw = () =>
    screen.write(screen.isTTY ? `\r\u001b[2K${line().slice(0, (screen.columns || 80) - 1)}` : `${line()}\n`);
  if (!screen.isTTY) screen.write(`${name} ...\n`);
  else draw();
  const timer = setInterval(draw, intervalMs);
  return {
    setDetail(text) {
      detail = text;
      if (screen.isTTY) draw();
    },
    end() {
      clearInterval(timer);
      if (screen.isTTY) screen.write('\r\u001b[2K');
    },
  };
}

/**
 * Creates a function that parses the output of a turbo build, chunk by chunk, and reports the number of started
 * packages and the newest one. With `--output-logs=new-only` the output of each package starts with a line such as
 * `@ringback/api:build: cache miss, executing 0123`.
 */
export function createTurboParser(report) {
  let rest = '';
  const started = [];
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    lines.forEach((line) => {
      const [, name] = /^(\S+):build: /.exec(line) || [];
      if (!name || started.indexOf(name) >= 0) return;
      started.push(name);
      report(`package ${started.length}: ${name}`);
    });
  };
}
