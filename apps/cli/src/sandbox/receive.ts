import { createStopSignal } from '@ringback/process/command-line';
import { type Answer, type Fault, startReceiver, type ReceivedCall } from '@ringback/receiver';
import { OperatorError, printable } from '@ringback/process';
import { CallVerifier, type Candidates, findDemoCandidates } from './verify-call.js';

export type ReceiveOptions = {
  port: number;
  status: number;
  delay: number;
  fault?: Fault;
  failFirst: number;
  webhook?: string[];
  bearer?: string;
};

/** Runs a receiver until Ctrl-C. It prints each request, and whether its bearer token and its Signature are valid. */
export async function receive(options: ReceiveOptions): Promise<void> {
  const findCandidates = async (): Promise<Candidates> => {
    const demo = options.webhook && options.bearer ? { webhookIds: [], tokens: [] } : await findDemoCandidates();
    return {
      webhookIds: options.webhook ?? demo.webhookIds,
      tokens: options.bearer === undefined ? demo.tokens : [options.bearer],
    };
  };
  const verifier = new CallVerifier(findCandidates);
  const receiver = await startReceiver({
    port: options.port,
    answer: (call, index) => {
      const answer = chooseAnswer(options, call, index);
      void verifier.verify(call).then((findings) => print(call, findings, answer));
      return answer;
    },
  }).catch((error: unknown) => Promise.reject(isPortInUse(error) ? new OperatorError(portInUse(options.port)) : error));
  process.stdout.write(`receiving at ${receiver.origin.replace('127.0.0.1', 'localhost')}/ (Ctrl-C to stop)\n`);
  createStopSignal().addEventListener('abort', () => void receiver.close());
}

const isPortInUse = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
const portInUse = (port: number) => `--port: ${port} is in use; choose another port, or 0 for any free port`;

function chooseAnswer({ fault, failFirst, status, delay }: ReceiveOptions, call: ReceivedCall, index: number): Answer {
  if (fault !== undefined) return fault;
  if (index < failFirst) return { status: 500 };
  const challenge = challengeOf(call);
  const headers = { 'content-type': 'application/json' };
  const body = challenge === undefined ? '{"received":true}' : JSON.stringify({ challenge });
  return { status, delayMs: delay, headers, body };
}

/** The challenge in a verification request; undefined for other requests. */
function challengeOf({ body }: ReceivedCall): string | undefined {
  const value: unknown = parseJson(body.toString());
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'validation_key')) return undefined;
  const challenge: unknown = Reflect.get(value, 'challenge');
  return typeof challenge === 'string' ? challenge : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function print({ method, path, headers, body, at }: ReceivedCall, findings: string[], answer: Answer): void {
  const value = parseJson(body.toString());
  const text = value === undefined ? body.toString() : JSON.stringify(value, null, 2);
  const { 'x-ringback-delivery': delivery = '-', 'x-ringback-attempt': attempt = '-' } = headers;
  const lines = [
    '',
    `${new Date(at).toISOString()}  ${method} ${path}`,
    `  event     ${String(headers['x-ringback-event'] ?? '-')}  delivery ${String(delivery)}  attempt ${String(attempt)}`,
    ...findings.map((finding) => `  ${finding}`),
    ...text.split('\n').map((line) => `  ${line}`),
    `  response  ${typeof answer === 'string' ? answer : answer.status}`,
  ];
  // Callbacks are untrusted, so control characters are escaped.
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}
