import { Argument, type Command } from 'commander';
import { ingressQueues, type QueueName, queueNames, type Queues } from '@ringback/queue';
import { StartError } from '@ringback/runtime';
import { withConnections } from './connect.js';
import { print } from './output.js';

type Json = { json?: boolean | undefined };

/** `queue [depth]|pause|resume|drain`. */
export function addQueueCommands(program: Command): void {
  const queue = program.command('queue').description('the queues: how full they are; hold and empty them');
  queue
    .command('depth', { isDefault: true })
    .description('how many jobs each queue has')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: Json) => print(await withConnections(({ queues }) => listDepths(queues)), { json }));
  addSwitch(queue, {
    name: 'pause',
    description:
      'let workers take nothing more out of a queue, until it is resumed; what comes keeps waiting. Deliveries wait in the ' +
      'database: stop the workers to hold those',
    paused: true,
  });
  addSwitch(queue, { name: 'resume', description: 'let workers take jobs again', paused: false });
  queue
    .command('drain')
    .description(
      'remove the jobs that wait in a queue. Events in sms-events and rcs-events are LOST by it. Verifications are not: ' +
        'they get jobs again',
    )
    .addArgument(nameArgument())
    .option('--yes', 'really do it')
    .option('--json', 'print one JSON document')
    .action(async (name: QueueName, { yes, json }: Json & { yes?: boolean }) =>
      print(await withConnections(({ queues }) => drain(queues, name, yes)), { json }),
    );
}

const nameArgument = () => new Argument('<queue>', 'name of the queue').choices(queueNames);

type Switch = { name: string; description: string; paused: boolean };

function addSwitch(queue: Command, { name, description, paused }: Switch): void {
  queue
    .command(name)
    .description(description)
    .addArgument(nameArgument())
    .option('--json', 'print one JSON document')
    .action(async (which: QueueName, { json }: Json) => {
      await withConnections(({ queues }) => (paused ? queues.open(which).pause() : queues.open(which).resume()));
      print({ queue: which, paused }, { json });
    });
}

type Depth = { queue: QueueName; paused: boolean; waiting: number; delayed: number; active: number };

async function listDepths(queues: Queues): Promise<Depth[]> {
  const depths = await queues.depths();
  return Promise.all(
    queueNames.map(async (name) => {
      const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = depths[name];
      const paused = await queues.open(name).isPaused();
      return { queue: name, paused, waiting: waiting + prioritized, delayed, active };
    }),
  );
}

async function drain(queues: Queues, name: QueueName, yes = false): Promise<{ queue: QueueName; removed: number }> {
  const waiting = async () => {
    const found = (await listDepths(queues)).find(({ queue }) => queue === name);
    return found ? found.waiting + found.delayed : 0;
  };
  const before = await waiting();
  if (!yes) throw new StartError(`${name} has ${before} jobs; ${warningOf(name)}; add --yes to remove them`);
  await queues.open(name).drain(true);
  return { queue: name, removed: Math.max(0, before - (await waiting())) };
}

function warningOf(name: QueueName): string {
  const isIngress = Object.values(ingressQueues).some((ingress) => ingress === name);
  return isIngress
    ? 'these events are stored nowhere else and would be LOST'
    : 'nothing is lost by removing them, they are made again';
}
