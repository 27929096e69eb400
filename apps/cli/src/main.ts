import { Command } from 'commander';
import { commandFor, formatError, readVersion } from '@ringback/runtime';
import { addAccountCommands } from './accounts.js';
import { addAuditCommand } from './audit.js';
import { addBridgeCommand } from './bridge/command.js';
import { addChangesCommand } from './changes.js';
import { addCompletionCommand } from './completion.js';
import { addDeliveryCommands } from './deliveries.js';
import { addEventCommands } from './events.js';
import { addListenCommand } from './listen.js';
import { addMigrateCommand } from './migrate.js';
import { printNotice } from './output.js';
import { addPortalLinkCommand } from './portal-link.js';
import { addProgramCommands } from './programs.js';
import { addQueueCommands } from './queues.js';
import { addReplayCommands } from './replays.js';
import { addSecretsCommands } from './secrets.js';
import { addTokenCommands } from './tokens.js';
import { addWebhookCommands } from './webhooks.js';

// commander writes errors and suggestions on several lines.
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
addAccountCommands(program);
addTokenCommands(program);
addEventCommands(program);
addDeliveryCommands(program);
addReplayCommands(program);
addAuditCommand(program);
addMigrateCommand(program);
addSecretsCommands(program);
addWebhookCommands(program);
addChangesCommand(program);
addPortalLinkCommand(program);
addQueueCommands(program);
addBridgeCommand(program);
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
