import { Command } from 'commander';
import { commandFor, formatError, readVersion } from '@ringback/process';
import { addAccountCommands, addChangesCommand } from './commands/account.js';
import { addAuditCommand } from './commands/audit.js';
import { addBridgeCommand } from './commands/bridge.js';
import { addCompletionCommand } from './commands/completion.js';
import { addDeliveryCommands } from './commands/delivery.js';
import { addEventCommands } from './commands/event.js';
import { addMoveCommands } from './commands/move.js';
import { addListenCommand } from './commands/listen.js';
import { addMigrateCommand, addSecretsCommands, addStatisticsCommands } from './commands/database.js';
import { printNotice } from './output.js';
import { addOutcomesCommand } from './commands/outcomes.js';
import { addPortalLinkCommand } from './commands/portal-link.js';
import { addProgramCommands } from './commands/programs.js';
import { addQueueCommands } from './commands/queue.js';
import { addReplayCommands } from './commands/replay.js';
import { addSandboxCommands } from './commands/sandbox.js';
import { addTokenCommands } from './commands/token.js';
import { addWebhookCommands } from './commands/webhook.js';

// commander writes some errors on several lines.
const toOneLine = (text: string) =>
  text
    .trim()
    .replace(/^error:/, 'ringback:')
    .split(/\s*\n\s*/)
    .join(' ');

const program = new Command('ringback')
  .description(
    `Runs and administers Ringback. It uses DATABASE_URL and REDIS_URL, or the \`${commandFor('start')}\` that runs in this folder.`,
  )
  .version(readVersion())
  .showSuggestionAfterError(false)
  .configureOutput({ outputError: (text) => printNotice(toOneLine(text)) });
addProgramCommands(program);
addSandboxCommands(program);
addAccountCommands(program);
addTokenCommands(program);
addEventCommands(program);
addDeliveryCommands(program);
addReplayCommands(program);
addAuditCommand(program);
addStatisticsCommands(program);
addMigrateCommand(program);
addSecretsCommands(program);
addWebhookCommands(program);
addChangesCommand(program);
addPortalLinkCommand(program);
addQueueCommands(program);
addMoveCommands(program);
addBridgeCommand(program);
addOutcomesCommand(program);
addListenCommand(program);
addCompletionCommand(program);

// A reader such as `head` may close the pipe early.
process.stdout.on('error', () => process.exit());

try {
  await program.parseAsync();
} catch (error) {
  printNotice(formatError(error));
  process.exitCode = 1;
}
