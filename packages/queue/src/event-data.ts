import { isUtf8 } from 'node:buffer';
import { withExactPayload } from '@ringback/rules';

/**
 * The maximum size, in bytes, of a job's data and of a broker's message. Larger data becomes a rejected event that
 * keeps its first 1,000 characters.
 */
export const maxDataBytes = 16 * 1024 * 1024;

const maxKeptCharacters = 1_000;

/** Replaces the data of a job if it cannot be read: the raw text and the reason. */
export class UnreadableData {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/**
 * Reads the data of an event's job from the text that its producer pushed. A payload that JSON.stringify would write
 * differently becomes its JSON text. Data that is not JSON or too large becomes `UnreadableData`.
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

/** Reads data of which Redis returned the bytes: a text that is not UTF-8 would lose some of them. */
export function readEventBytes(bytes: Buffer): unknown {
  const text = bytes.toString();
  return isUtf8(bytes) ? readEventData(text) : new UnreadableData(text, 'the data of the job is not UTF-8');
}

/** The size of a text in bytes, or a smaller number if the text is surely not over `maxDataBytes`. */
const sizeOf = (text: string) => (text.length * 3 > maxDataBytes ? Buffer.byteLength(text) : text.length);
