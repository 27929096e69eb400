import { Command } from 'commander';
import { explain, readVersion } from '@ringback/runtime';
import { addAccountCommands } from './accounts.js';
import { addAuditCommand } from './audit.js';
import { addDeliveryCommands } from './deliveries.js';
import { addEventCommands } from './events.js';
import { addMigrateCommand } from './migrate.js';
import { addSecretsCommands } from './secrets.js';
import { addTokenCommands } from './tokens.js';

const program = new Command('ringback')
  .description('Administers Ringback: against DATABASE_URL and REDIS_URL, or the `npm start` that runs in this folder.')
  .version(readVersion());
addAccountCommands(program);
addEventCommands(program);
addDeliveryCommands(program);
addAuditCommand(program);
addMigrateCommand(program);
addSecretsCommands(program);
addTokenCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
