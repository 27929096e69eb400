import { type Answer, type Fault, openReceiver, type ReceivedCall } from '@ringback/receiver';
import { openStopSignal, printable, StartError } from '@ringback/runtime';
import { candidatesFromDemo, type Candidates, createVerifier } from './verify-call.js';

type Options = {
  port: number;
  status: number;
  delay: number;
  fault?: Fault;
  failFirst: number;
  webhook?: string[];
  token?: string;
};

/** Runs a receiver until Ctrl-C: prints every call with what is to be said of its Bearer and Signature. */
export async function receive(options: Options): Promise<void> {
  const candidates = async (): Promise<Candidates> => {
    const demo = options.webhook && options.token ? { webhookIds: [], tokens: [] } : await candidatesFromDemo();
    return {
      webhookIds: options.webhook ?? demo.webhookIds,
      tokens: options.token === undefined ? demo.tokens : [options.token],
    };
  };
  const verify = createVerifier({ ask: candidates });
  const receiver = await openReceiver({
    port: options.port,
    answer: (call, index) => {
      const answer = chooseAnswer(options, call, index);
      void verify(call).then((findings) => print(call, findings, answer));
      return answer;
    },
  }).catch((error: unknown) => Promise.reject(isTaken(error) ? new StartError(taken(options.port)) : error));
  process.stdout.write(`receiving at ${receiver.origin.replace('127.0.0.1', 'localhost')}/ (Ctrl-C ends it)\n`);
  openStopSignal().addEventListener('abort', () => void receiver.close());
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
const taken = (port: number) => `--port: ${port} is taken; choose another, or 0 for a free one`;

function chooseAnswer({ fault, failFirst, status, delay }: Options, call: ReceivedCall, index: number): Answer {
  if (fault !== undefined) return fault;
  if (index < failFirst) return { status: 500 };
  const challenge = challengeOf(call);
  const headers = { 'content-type': 'application/json' };
  const body = challenge === undefined ? '{"received":true}' : JSON.stringify({ challenge });
  return { status, delayMs: delay, headers, body };
}

/** The challenge, when the call is a verification challenge. */
function challengeOf({ body }: ReceivedCall): string | undefined {
  const value: unknown = parse(body.toString());
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'validation_key')) return undefined;
  const challenge: unknown = Reflect.get(value, 'challenge');
  return typeof challenge === 'string' ? challenge : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function print({ method, path, headers, body, at }: ReceivedCall, findings: string[], answer: Answer): void {
  const value = parse(body.toString());
  const shown = value === undefined ? body.toString() : JSON.stringify(value, null, 2);
  const { 'x-ringback-delivery': delivery = '-', 'x-ringback-attempt': attempt = '-' } = headers;
  const lines = [
    '',
    `${new Date(at).toISOString()}  ${method} ${path}`,
    `  event     ${String(headers['x-ringback-event'] ?? '-')}  delivery ${String(delivery)}  attempt ${String(attempt)}`,
    ...findings.map((finding) => `  ${finding}`),
    ...shown.split('\n').map((line) => `  ${line}`),
    `  answered  ${typeof answer === 'string' ? answer : answer.status}`,
  ];
  // What came is from outside: a terminal shows it and does not obey it.
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}
