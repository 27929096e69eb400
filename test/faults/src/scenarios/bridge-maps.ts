import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { sampleEvent } from '@ringback/rules';
import type { Broker, BrokerMessage } from '../brokers/broker.js';
import { runCommand } from '../program.js';
import type { ScenarioContext } from '../scenario.js';
import { awaitEvents, countEvents, createBrokerLoad, requireEmpty } from './bridge-load.js';

const statuses = { 1: 'DELIVRD', 2: 'UNDELIV' };
const map = {
  event: 'sms:message:status',
  external_id: '$.account.no',
  webhook_id: '$.hook',
  payload: { id: '$.msg_id', mobile: '$.msisdn', status: { $path: '$.dlr', $values: statuses }, credits: '$.price' },
};

/** A report as a platform publishes it that never heard of Ringback. */
function toReport({ webhook_id, payload }: ReturnType<typeof sampleEvent>): BrokerMessage {
  const { id, mobile } = payload;
  return {
    body: JSON.stringify({ account: { no: 10042 }, hook: webhook_id, msg_id: id, msisdn: mobile, dlr: 1, price: 2 }),
  };
}

/** A platform's own messages become events, and those that the map cannot read wait for a corrected one. */
export async function runMaps(context: ScenarioContext, broker: Broker): Promise<void> {
  const write = (name: string, value: unknown) => {
    const file = `${context.logs}/${name}.json`;
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const file = write('map', map);
  const ofAccount = [context.account.id, '--external-id', '10042'];
  await runCommand(['account', 'update', ...ofAccount], context.env);
  const load = createBrokerLoad(context, broker, toReport);
  const strange = { account: { no: 10042 }, hook: context.webhooks[0], msg_id: 'strange:1', msisdn: '9189', dlr: 99 };
  await load.push(20, { kind: 'sms' });
  await broker.publish([
    { body: JSON.stringify({ ...strange, price: 1 }) },
    { body: JSON.stringify({ ...strange, dlr: 1, account: { no: 9 }, price: 1 }) },
    { body: '<report/>' },
  ]);

  const tried = dryRun(context, [...broker.args, '--map', file, '--limit', '100']);
  context.require(tried.code === 1, `the dry run ended with ${tried.code}: ${tried.stderr}`);
  const states = tried.lines.map(({ state }) => state);
  // A producer of Kafka may repeat messages.
  const accepted = states.filter((state) => state === 'accepted').length;
  context.require(accepted >= 20 && states.length >= accepted + 3, `the dry run printed ${states.join()}`);
  const few = dryRun(context, [...broker.args, '--map', file, '--limit', '3']);
  context.require(few.lines.length === 3, `a dry run of 3 messages printed ${few.lines.length}`);
  context.require((await countEvents(context)) === 0, 'the dry run stored events');

  await context.startWorker();
  const bridge = await context.startBridge([...broker.args, '--map', file]);
  await awaitEvents(context, 23);
  await bridge.end('SIGKILL');
  context.recordFault('the bridge was killed');
  await context.startBridge([...broker.args, '--map', file]);
  await load.push(20, { kind: 'sms' });
  await context.settle(load, { withinMs: 60_000, excludedMessageIds: new Set(['strange:1']) });
  await requireEmpty(context, broker);
  await retryRejected(context, write('corrected', { ...map, payload: { ...map.payload, status: '$.dlr' } }));
}

async function retryRejected(context: ScenarioContext, corrected: string): Promise<void> {
  const { json } = await runCommand(['event', 'rejected'], context.env);
  const rejected = json as { id: string; reason: string }[];
  const expected = [
    'the message is not JSON',
    'the map does not fit the message: $.account.no (external_id) is the external_id of no account',
    'the map does not fit the message: $.dlr (payload.status) has a value that is not in $values',
  ];
  const reasons = [...new Set(rejected.map(({ reason }) => reason))].sort();
  context.require(reasons.join() === expected.sort().join(), `the reasons are ${reasons.join('; ')}`);
  const [unmapped] = rejected.filter(({ reason }) => reason.includes('$.dlr'));
  const { json: retried } = await runCommand(['event', 'retry', unmapped?.id ?? '', '--map', corrected], context.env);
  context.require((retried as { state: string }).state === 'routed', `the retry printed ${JSON.stringify(retried)}`);
}

/** Runs the command line, whose dry run prints a JSON line for each message. */
function dryRun({ env }: ScenarioContext, args: string[]) {
  const program = new URL('../../../../apps/cli/dist/main.js', import.meta.url).pathname;
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const command = [program, 'bridge', ...args, '--dry-run'];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env: { ...inherited, ...env } });
  const lines = stdout.toString().split('\n').filter(Boolean);
  return { code: status, stderr: stderr.toString(), lines: lines.map((line): { state: string } => JSON.parse(line)) };
}
