import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Running, watch } from './processes.js';

const { ENGINE: engine = 'docker', TEST_IMAGE: image = '' } = process.env;

export type Container = Running & {
  /** Runs a program in the container. */
  exec(command: string[]): Promise<Ended>;
  /** Sends SIGTERM, and SIGKILL 15 s later. Resolves with the exit code. */
  stop(): Promise<number | null>;
};

type Ended = { code: number | null; stdout: string; stderr: string };
type Settings = { env?: Record<string, string>; user?: string | undefined; entrypoint?: string };

/** Runs a command of docker or podman to its end, while the receiver in this process continues to respond. */
async function execute(...args: string[]): Promise<Ended> {
  const child = spawn(engine, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

function runEngine(...args: string[]): Ended {
  const { status, stdout, stderr, error } = spawnSync(engine, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (error) throw error;
  return { code: status, stdout, stderr };
}

/**
 * Starts the image on the network of this machine, with a file system that cannot be written to and without any
 * privilege.
 */
export function startContainer(args: string[], { env = {}, user, entrypoint }: Settings = {}): Container {
  const name = `ringback-test-${randomBytes(6).toString('hex')}`;
  const options = ['--rm', '--name', name, '--network=host', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  const variables = Object.entries(env).map(([key, value]) => `--env=${key}=${value}`);
  const account = user === undefined ? [] : [`--user=${user}`];
  const program = entrypoint === undefined ? [] : [`--entrypoint=${entrypoint}`];
  const engineArgs = ['run', ...options, ...readOnly, ...account, ...program, ...variables, image, ...args];
  const running = watch(spawn(engine, engineArgs, { stdio: ['ignore', 'pipe', 'pipe'] }));
  return {
    ...running,
    exec: (command) => execute('exec', name, ...command),
    stop: async () => {
      await execute('stop', '-t', '15', name);
      return running.ended;
    },
  };
}

// With --read-only, podman puts writable folders at /tmp, /run and /var/tmp unless this option turns it off.
const readOnly = ['--read-only', ...(engine.endsWith('podman') ? ['--read-only-tmpfs=false'] : [])];

type Details = {
  Size: number;
  Config: {
    User: string;
    Env: string[];
    Labels: Record<string, string>;
    Entrypoint: string[];
    Healthcheck?: { Test: string[] };
  };
  Healthcheck?: { Test: string[] };
};

/** Reads the image's settings, and the program of its HEALTHCHECK. */
export function inspectImage(): Details['Config'] & { size: number; healthcheck: string[] } {
  const { code, stdout, stderr } = runEngine('image', 'inspect', image);
  if (code !== 0) throw new Error(stderr);
  const [{ Size: size, Config, Healthcheck }]: [Details] = JSON.parse(stdout);
  const [kind, ...healthcheck] = (Config.Healthcheck ?? Healthcheck)?.Test ?? [];
  if (kind !== 'CMD') throw new Error(`the image has no HEALTHCHECK in exec form: ${stdout}`);
  return { ...Config, size, healthcheck };
}

export type ImageFile = { path: string; mode: string; owner: string };

/** All files of the image. `folder` is for a copy of the image's file system. */
export function readFiles(folder: string): { files: ImageFile[]; read(path: string): string } {
  const archive = join(folder, 'image.tar');
  const { stdout: id } = runEngine('create', image);
  const { code, stderr } = runEngine('export', `--output=${archive}`, id.trim());
  runEngine('rm', id.trim());
  if (code !== 0) throw new Error(`${engine} export: ${stderr}`);
  const tar = (...args: string[]) =>
    spawnSync('tar', [`--file=${archive}`, '--numeric-owner', ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })
      .stdout;
  const files = tar('--list', '--verbose')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [mode = '', owner = '', , , , ...path] = line.split(/ +/);
      return { mode, owner, path: `/${path.join(' ').replace(/^(\.?\/)?/, '')}` };
    });
  return { files, read: (path) => tar('--extract', '--to-stdout', path.slice(1)) };
}
