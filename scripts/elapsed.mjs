// Like prepare.mjs, this holds nothing that an old Node cannot read.

/**
 * Shows on stderr how long a step takes already: one line that is written anew each second on a terminal, else a line at
 * its beginning and one every ten seconds. `tell` says how far it is; `end` is the last line of it.
 */
export function showElapsed(name, screen = process.stderr, everyMs = screen.isTTY ? 1000 : 10000) {
  const since = Date.now();
  let detail = '';
  const line = () => `${name} ... ${Math.round((Date.now() - since) / 1000)} s${detail && `, ${detail}`}`;
  const draw = () =>
    screen.write(screen.isTTY ? `\r\u001b[2K${line().slice(0, (screen.columns || 80) - 1)}` : `${line()}\n`);
  if (!screen.isTTY) screen.write(`${name} ...\n`);
  else draw();
  const timer = setInterval(draw, everyMs);
  return {
    tell(what) {
      detail = what;
      if (screen.isTTY) draw();
    },
    end() {
      clearInterval(timer);
      if (screen.isTTY) screen.write('\r\u001b[2K');
    },
  };
}

/**
 * Reads what turbo says of a build as it comes, and says how many of the packages are begun, and which one was last.
 * With `--output-logs=new-only` each begins with a line such as `@ringback/api:build: cache miss, executing 0123`.
 */
export function readTurbo(tell) {
  let rest = '';
  let count = '?';
  const begun = [];
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    lines.forEach((line) => {
      const total = /Running build in (\d+) package/.exec(line);
      if (total) count = total[1];
      const [, name] = /^(\S+):build: /.exec(line) || [];
      if (!name || begun.indexOf(name) >= 0) return;
      begun.push(name);
      tell(`${begun.length} of ${count}: ${name}`);
    });
  };
}
