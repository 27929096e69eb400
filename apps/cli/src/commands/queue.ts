import { Argument, type Command } from 'commander';
import { isEventQueue, type QueueName, queueNames, type Queues, testCallQueue } from '@ringback/queue';
import { OperatorError } from '@ringback/process';
import { withConnections } from '../connect.js';
import { type Json, jsonOption } from '../options.js';
import { print } from '../output.js';

/** Adds the commands `queue [depth]|pause|resume|drain`. */
export function addQueueCommands(program: Command): void {
  const queue = program.command('queue').description('show, pause, resume and drain the queues');
  queue
    .command('depth', { isDefault: true })
    .description('show the number of jobs in each queue')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => print(await withConnections(({ queues }) => listDepths(queues)), { json }));
  addPauseCommand(queue, {
    name: 'pause',
    description:
      'pause a queue: workers start no more of its jobs until it is resumed. Deliveries are not in a queue: stop the ' +
      'workers to pause them',
    paused: true,
  });
  addPauseCommand(queue, { name: 'resume', description: 'resume a paused queue', paused: false });
  queue
    .command('drain')
    .description(
      'remove all waiting and delayed jobs of a queue. Events in sms-events and rcs-events are LOST. Verifications are not lost: ' +
        'workers create their jobs again',
    )
    .addArgument(nameArgument())
    .option('--yes', 'confirm that the jobs are removed')
    .addOption(jsonOption())
    .action(async (name: QueueName, { yes, json }: Json & { yes?: boolean }) =>
      print(await withConnections(({ queues }) => drain(queues, name, yes)), { json }),
    );
}

const nameArgument = () => new Argument('<queue>', 'name of the queue').choices(queueNames);

type PauseCommand = { name: string; description: string; paused: boolean };

function addPauseCommand(queue: Command, { name, description, paused }: PauseCommand): void {
  queue
    .command(name)
    .description(description)
    .addArgument(nameArgument())
    .addOption(jsonOption())
    .action(async (queueName: QueueName, { json }: Json) => {
      await withConnections(({ queues }) =>
        paused ? queues.open(queueName).pause() : queues.open(queueName).resume(),
      );
      print({ queue: queueName, paused }, { json });
    });
}

type Depth = { queue: QueueName; paused: boolean; waiting: number; delayed: number; active: number };

async function listDepths(queues: Queues): Promise<Depth[]> {
  return Promise.all(
    queueNames.map(async (queue) => {
      const { isPaused, waiting, delayed, active } = await queues.readHealth(queue);
      return { queue, paused: isPaused, waiting, delayed, active };
    }),
  );
}

async function drain(queues: Queues, name: QueueName, yes = false): Promise<{ queue: QueueName; removed: number }> {
  const countJobs = async () => {
    const depth = (await listDepths(queues)).find(({ queue }) => queue === name);
    return depth ? depth.waiting + depth.delayed : 0;
  };
  const countBefore = await countJobs();
  if (!yes) throw new OperatorError(`${name} has ${countBefore} jobs; ${warningOf(name)}; add --yes to remove them`);
  await queues.open(name).drain(true);
  return { queue: name, removed: Math.max(0, countBefore - (await countJobs())) };
}

function warningOf(name: QueueName): string {
  if (isEventQueue(name)) return 'these events are stored only here and would be LOST';
  return name === testCallQueue
    ? 'the requests that wait for these test calls would get no result'
    : 'workers create them again, so nothing would be lost';
}
