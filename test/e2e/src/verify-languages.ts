import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './processes.js';

/** How the files of one folder of examples/verify are run. The first word of each command is a program in PATH. */
export type Language = {
  name: string;
  /** `.ci/run` installs what this language needs. */
  isInstalledByCi: boolean;
  /** Compile into the temporary folder `out`. */
  compile(out: string): string[][];
  vectors(out: string, file: string): string[];
  receiver(out: string, port: number): string[];
};

const folder = `${root}examples/verify`;
const interpreted = { compile: () => [] };

// Without inlining and cgo, Go compiles its standard library in two thirds of the time: 10 s, once on each machine.
const goBuild = ['go', 'build', '-gcflags=all=-l', '-o'];
const goFiles = (name: string) => ['verify.go', name].map((file) => `${folder}/go/${file}`);
const mcs = (out: string, name: string) => ['mcs', `-out:${out}/${name}.exe`, `${folder}/csharp/Verify.cs`];

export const languages: Language[] = [
  {
    name: 'node',
    isInstalledByCi: true,
    ...interpreted,
    vectors: (_out, file) => ['node', `${folder}/node/vectors.mjs`, file],
    receiver: () => ['node', `${folder}/node/receiver.mjs`],
  },
  {
    name: 'python',
    isInstalledByCi: false,
    ...interpreted,
    vectors: (_out, file) => ['python3', `${folder}/python/vectors.py`, file],
    receiver: () => ['python3', `${folder}/python/receiver.py`],
  },
  {
    name: 'go',
    isInstalledByCi: false,
    compile: (out) => [
      [...goBuild, `${out}/vectors`, ...goFiles('vectors.go')],
      [...goBuild, `${out}/receiver`, ...goFiles('receiver.go')],
    ],
    vectors: (out, file) => [`${out}/vectors`, file],
    receiver: (out) => [`${out}/receiver`],
  },
  {
    name: 'php',
    isInstalledByCi: true,
    ...interpreted,
    vectors: (_out, file) => ['php', `${folder}/php/vectors.php`, file],
    receiver: (_out, port) => [
      ...['php', '-d', 'post_max_size=20M', '-S'],
      ...[`127.0.0.1:${port}`, `${folder}/php/receiver.php`],
    ],
  },
  {
    name: 'java',
    isInstalledByCi: false,
    compile: (out) => [
      ['javac', '-d', out, ...['Verify', 'Receiver', 'Vectors'].map((name) => `${folder}/java/${name}.java`)],
    ],
    vectors: (out, file) => ['java', '-cp', out, 'Vectors', file],
    receiver: (out) => ['java', '-cp', out, 'Receiver'],
  },
  {
    name: 'ruby',
    isInstalledByCi: true,
    ...interpreted,
    vectors: (_out, file) => ['ruby', `${folder}/ruby/vectors.rb`, file],
    receiver: () => ['ruby', `${folder}/ruby/receiver.rb`],
  },
  {
    name: 'csharp',
    isInstalledByCi: true,
    compile: (out) => ['Vectors', 'Receiver'].map((name) => [...mcs(out, name), `${folder}/csharp/${name}.cs`]),
    vectors: (out, file) => ['mono', `${out}/Vectors.exe`, file],
    receiver: (out) => ['mono', `${out}/Receiver.exe`],
  },
];

/** The programs that a language needs and PATH does not have. */
export function missingPrograms({ compile, vectors }: Language): string[] {
  const programs = [...compile(''), vectors('', '')].map(([program = '']) => program);
  const isMissing = (name: string) =>
    !name.includes('/') && !(process.env.PATH ?? '').split(delimiter).some((path) => existsSync(join(path, name)));
  return [...new Set(programs)].filter(isMissing);
}
