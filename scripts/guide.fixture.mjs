// Runs the commands of a guide as a reader does, for tests.
import { spawn } from 'child_process';
import { readFileSync } from 'fs';
import net from 'net';
import { constants } from 'os';
import { join } from 'path';
import { root } from './prepare.mjs';

/** The fenced blocks of a Markdown file in one of these languages, in their order. */
export const readBlocks = (file, languages = ['sh', 'js']) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .map(([, language, code]) => ({ language, code }))
    .filter(({ language }) => languages.includes(language));

export function findFreePort() {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Resolves once the port accepts connections. */
export async function untilListening(port, terminal) {
  for (;;) {
    const isOpen = await new Promise((resolve) => {
      const socket = net.connect(port, 'localhost', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (/Error/.test(terminal.output())) throw new Error(terminal.output());
  }
}

// Before Jest's limit of a test, so that the error shows what the shell printed.
const maxWaitMs = 280_000;

/** Opens a shell in the folder. The shell ends at the first command that fails. */
export function openTerminal(folder, env) {
  // Closing a terminal ends what runs in it, so the shell and its commands are in a process group of their own.
  const shell = spawn('sh', ['-e'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let text = '';
  const checks = new Set();
  const onOutput = (chunk) => {
    text += chunk;
    checks.forEach((check) => check());
  };
  shell.stdout.on('data', onOutput);
  shell.stderr.on('data', onOutput);
  const ended = new Promise((resolve) =>
    shell.on('close', (code) => {
      resolve(code);
      checks.forEach((check) => check());
    }),
  );
  /** Resolves when the output after `from` matches. Rejects when the shell ends before that, or after `maxWaitMs`. */
  const waitFor = (pattern, from = 0) =>
    new Promise((resolve, reject) => {
      const check = (isLate = false) => {
        const match = pattern.exec(text.slice(from));
        const hasEnded = shell.exitCode !== null || shell.signalCode !== null;
        if (!match && !hasEnded && !isLate) return;
        checks.delete(check);
        clearTimeout(timer);
        match ? resolve(match) : reject(new Error(`there was no ${pattern}:\n${text}`));
      };
      const timer = setTimeout(() => check(true), maxWaitMs);
      checks.add(check);
      check();
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
