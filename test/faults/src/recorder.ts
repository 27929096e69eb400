import { type Answer, startReceiver, type ReceivedCall } from '@ringback/receiver';
import type { Call } from './check.js';

/** Chooses the response to a call. */
type Behaviour = (call: Omit<Call, 'status'>) => Answer;

/** A receiver that records every call. The record is append-only, and the checks of all scenarios rely on it. */
export type Recorder = {
  origin: string;
  calls: readonly Call[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
};

/** Opens a receiver on loopback. It responds with 200 until `behave` changes that. */
export async function startRecorder(): Promise<Recorder> {
  const calls: Call[] = [];
  let behaviour: Behaviour = () => ({ status: 200 });
  const receiver = await startReceiver({
    answer(received) {
      const call = readCall(received);
      const answer = behaviour(call);
      calls.push({ ...call, status: typeof answer === 'string' ? 0 : answer.status });
      return answer;
    },
  });
  return {
    origin: receiver.origin,
    calls,
    behave: (next) => void (behaviour = next),
    close: () => receiver.close(),
  };
}

function readCall({ at, path, headers, body }: ReceivedCall): Omit<Call, 'status'> {
  return {
    at,
    path,
    authorization: String(headers.authorization),
    delivery: String(headers['x-ringback-delivery']),
    attempt: Number(headers['x-ringback-attempt']),
    message: messageOf(body),
  };
}

// Parsing megabytes would block the event loop, and calls would seem to arrive late.
const maxParsedBytes = 100_000;

/** Reads the message id. In a large body, it is the first `id` within 1,000 characters. */
function messageOf(body: Buffer): string {
  if (body.length > maxParsedBytes) return /"id":"([^"]+)"/.exec(body.toString('latin1', 0, 1_000))?.[1] ?? '';
  const sent: { id?: string; payload?: { id?: string } } = JSON.parse(body.toString());
  return sent.payload?.id ?? sent.id ?? '';
}
