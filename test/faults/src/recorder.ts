import { type Answer, openReceiver, type ReceivedCall } from '@ringback/receiver';
import type { Call } from './check.js';

/** What the receiver answers a call with; looked at afresh for each. */
export type Behaviour = (call: Omit<Call, 'status'>) => Answer;

/** A receiver that keeps its own append-only record of the calls, which is the truth of every story. */
export type Recorder = {
  origin: string;
  calls: readonly Call[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
};

/** Opens it on loopback; it answers 200 until told otherwise. */
export async function openRecorder(): Promise<Recorder> {
  const calls: Call[] = [];
  let behaviour: Behaviour = () => ({ status: 200 });
  const receiver = await openReceiver({
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
    bearer: String(headers.authorization),
    delivery: String(headers['x-ringback-delivery']),
    attempt: Number(headers['x-ringback-attempt']),
    message: messageOf(body),
  };
}

// Whoever reads millions of bytes is busy for so long that everybody seems to be late.
const maxParsed = 100_000;

/** The message's id; that of a large event stands at its beginning. */
function messageOf(body: Buffer): string {
  if (body.length > maxParsed) return /"id":"([^"]+)"/.exec(body.toString('latin1', 0, 1_000))?.[1] ?? '';
  const sent: { id?: string; payload?: { id?: string } } = JSON.parse(body.toString());
  return sent.payload?.id ?? sent.id ?? '';
}
