// Reads the code of a document, and runs it as a reader would: in terminals.
import { spawn } from 'child_process';
import fs from 'fs';
import { constants } from 'os';

/** The fenced blocks of a Markdown text in one of these languages, in their order. */
export const blocksOf = (text, languages) =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .map(([, language, code]) => ({ language, code }))
    .filter(({ language }) => languages.includes(language));

const maxWaitMs = 60_000;

/** Opens a shell in the folder. It stops at the first command that fails. */
export function openTerminal(folder, env) {
  // A terminal ends what runs in it, so everything is in a process group of its own.
  const shell = spawn('sh', ['-e'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let text = '';
  const looks = new Set();
  const hear = (chunk) => {
    text += chunk;
    looks.forEach((look) => look());
  };
  shell.stdout.on('data', hear);
  shell.stderr.on('data', hear);
  const ended = new Promise((resolve) =>
    shell.on('close', (code) => {
      resolve(code);
      looks.forEach((look) => look());
    }),
  );
  /** Resolves as soon as the output after `from` matches; rejects when the shell ends before, and after a minute. */
  const waitFor = (pattern, from = 0) =>
    new Promise((resolve, reject) => {
      const look = (isLate = false) => {
        const match = pattern.exec(text.slice(from));
        const hasEnded = shell.exitCode !== null || shell.signalCode !== null;
        if (!match && !hasEnded && !isLate) return;
        looks.delete(look);
        clearTimeout(timer);
        match ? resolve(match) : reject(new Error(`there was no ${pattern}:\n${text}`));
      };
      const timer = setTimeout(() => look(true), maxWaitMs);
      looks.add(look);
      look();
    });
  let count = 0;
  return {
    waitFor,
    output: () => text,
    /** Types commands, of which the last one stays in the foreground. */
    type: (code) => void shell.stdin.write(code),
    /** Runs commands and resolves with what they printed. */
    async run(code) {
      const from = text.length;
      const end = `done-${++count}-${process.pid}`;
      shell.stdin.write(`${code}\necho ${end}\n`);
      await waitFor(new RegExp(end), from);
      return text.slice(from, text.indexOf(end, from));
    },
    /** Presses Ctrl-C and closes the terminal. */
    async close() {
      shell.stdin.destroy();
      try {
        process.kill(-shell.pid, constants.signals.SIGINT);
      } catch {
        // It has ended.
      }
      await ended;
    },
  };
}

/** The text of a file of JSON. */
export const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
