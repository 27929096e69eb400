import { isUtf8 } from 'node:buffer';
import { withExactPayload } from '@ringback/rules';

/**
 * The maximum size, in bytes, of a job's data and of a broker's message. Larger data becomes a rejected event that
 * keeps its first 1,000 characters.
 */
export const maxDataBytes = 16 * 1024 * 1024;

const maxKeptCharacters = 1_000;

/** Stands in for the data of a job that cannot be read. */
export class UnreadableData {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/**
 * Reads the data of a job from the text that its producer pushed. A payload whose numbers or spelling `JSON.stringify`
 * would change becomes its JSON text. Data that is too large or not JSON becomes `UnreadableData`.
 */
export function readEventData(text: string): unknown {
  const bytes = sizeOf(text);
  if (bytes > maxDataBytes) {
    const reason = `the data of the job has ${bytes} bytes, and at most ${maxDataBytes} are taken`;
    return new UnreadableData(text.slice(0, maxKeptCharacters), reason);
  }
  try {
    // BullMQ's clients leave the data of a job without data out.
    return withExactPayload(JSON.parse(text || '{}'), text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new UnreadableData(text, 'the data of the job is not JSON');
  }
}

/**
 * Reads data from the bytes that Redis returned. They are checked, because decoding would silently replace what is not
 * UTF-8.
 */
export function readEventBytes(bytes: Buffer): unknown {
  const text = bytes.toString();
  return isUtf8(bytes) ? readEventData(text) : new UnreadableData(text, 'the data of the job is not UTF-8');
}

/** The size of a text in bytes. Counting costs time, so a text that is surely small enough gets its length instead. */
const sizeOf = (text: string) => (text.length * 3 > maxDataBytes ? Buffer.byteLength(text) : text.length);
