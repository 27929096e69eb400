import { Writable } from 'node:stream';

// A signal that cannot be caught, such as SIGKILL, loses at most the lines of the last 10 ms.
const maxDelayMs = 10;
const maxCharacters = 65_536;

/**
 * Creates a stream that collects log lines for at most 10 ms or until there are 65,536 characters, and writes them to
 * stdout together. One system call for each line costs more CPU time than formatting the line. The stream writes the
 * remaining lines when the process exits.
 */
export function createLogOutput(target: Pick<NodeJS.WriteStream, 'write'> = process.stdout): Writable {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    if (text !== '') target.write(text);
  };
  process.on('exit', flush);
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines += line;
      if (lines.length >= maxCharacters) flush();
      else timer ??= setTimeout(flush, maxDelayMs);
      done();
    },
    destroy(error, done) {
      process.off('exit', flush);
      flush();
      done(error);
    },
  });
}
