import { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { homeOf } from './processes.js';

// A program that runs commands of the command line one after the other, each with its own arguments, environment and
// stdin. Loading the command line takes most of the time of a command; here it is loaded only once. `runCli` starts
// this program.

export type Command = { args: string[]; env: NodeJS.ProcessEnv; input: string };
export type Ended = { code: number; stdout: string; stderr: string };

class Exit extends Error {}

const cli = 'apps/cli/dist/main.js';
const main = pathToFileURL(`${homeOf(cli)}${cli}`).href;
const inherited = { ...process.env };
let commandCount = 0;

async function runCommand({ args, env, input }: Command): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  let exitCode: number | undefined;
  const capture = (stream: 'stdout' | 'stderr') => (text: string | Uint8Array) => {
    // A real process would write nothing after its exit.
    if (exitCode === undefined) written[stream] += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
  process.stdout.write = capture('stdout');
  process.stderr.write = capture('stderr');
  process.exit = (code) => {
    exitCode ??= Number(code ?? process.exitCode ?? 0);
    throw new Exit();
  };
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.env = { ...inherited, ...env };
  process.argv = [process.execPath, fileURLToPath(main), ...args];
  process.exitCode = undefined;
  commandCount++;
  // With another query in its URL, the module is evaluated again. Its imports are loaded only at the first command.
  await import(`${main}?command=${commandCount}`).catch((error: unknown) => {
    if (!(error instanceof Exit)) throw error;
  });
  return { code: exitCode ?? Number(process.exitCode ?? 0), ...written };
}

process.stdout.setMaxListeners(0);
process.on('message', (command: Command) => void runCommand(command).then((ended) => process.send?.(ended)));
