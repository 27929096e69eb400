import {
  createAccessToken,
  createAccount,
  createAccessTokenFinder,
  type Database,
  findAccount,
  createPortalSession,
  scopes,
} from '@ringback/ledger';
import { commandFor } from '@ringback/process';
import { readPrivate, writePrivate } from './private-files.js';

/** The account that `npm start` creates, with the fields that `ringback account create --json` prints. */
export type DemoAccount = { id: string; name: string; access_token: string; callback_token: string };

/**
 * Reads the demo account from a file, or creates it when the file or the account in the database is missing. An access
 * token that is no longer valid is replaced.
 */
export async function ensureDemoAccount(db: Database, path: string): Promise<DemoAccount> {
  const saved: unknown = readPrivate(path);
  if (isDemoAccount(saved) && (await findAccount(db, saved.id))) {
    if ((await createAccessTokenFinder(db)(saved.access_token))?.accountId === saved.id) return saved;
    const renewed = await createAccessToken(db, saved.id);
    if (renewed) return save(path, { ...saved, access_token: renewed.token });
  }
  const { id, name, accessToken, callbackToken } = await createAccount(db, { name: 'demo' });
  return save(path, { id, name, access_token: accessToken, callback_token: callbackToken });
}

/** The lifetime of the portal session that each start opens. */
const demoSessionMinutes = 60;

/** Opens a portal session for the demo account, and returns the token of its link. */
export async function openDemoPortal(db: Database, { id }: DemoAccount): Promise<string> {
  const opened = await createPortalSession(db, id, {
    scopes: [...scopes],
    webhookIds: null,
    expiresInS: demoSessionMinutes * 60,
    portalUserName: null,
    maskPhoneNumbers: false,
    theme: null,
    returnUrl: null,
    creatorId: null,
  });
  if (!opened) throw new Error('the demo account is missing');
  return opened.linkToken;
}

function save(path: string, account: DemoAccount): DemoAccount {
  writePrivate(path, account);
  return account;
}

function isDemoAccount(value: unknown): value is DemoAccount {
  const fields = ['id', 'name', 'access_token', 'callback_token'];
  return (
    typeof value === 'object' &&
    value !== null &&
    fields.every((field) => typeof Reflect.get(value, field) === 'string')
  );
}

type Greeting = {
  baseUrl: string;
  docsUrl: string;
  portalUrl: string;
  account: DemoAccount;
  data: string;
  queue: string;
};

/** Formats the text that `npm start` prints when Ringback is running. Its commands can be pasted into a POSIX shell. */
export function formatGreeting({ baseUrl, docsUrl, portalUrl, account, data, queue }: Greeting): string {
  const authorization = `-H 'Authorization: Bearer ${account.access_token}'`;
  const body = `-H 'Content-Type: application/json' -d '{"name": "demo", "uri": "http://localhost:4000/"}'`;
  return `
Ringback is running.

  Base URL       ${baseUrl}
  Docs           ${docsUrl}
  Access token   ${account.access_token}
  Account        ${account.id}
  Data           ${data}
  Queues         ${queue}

  Portal: ${portalUrl}
          for the demo account; the link works once, within ${demoSessionMinutes} minutes; for another one:
          ${commandFor('ringback')} portal-link --account ${account.id}

Try it. In a second terminal, start a receiver:

${commandFor('sandbox')} receive --port 4000

In a third terminal, register it as a webhook and send it a delivery report:

WEBHOOK=$(curl -sS -X POST '${baseUrl}/developer/webhooks' ${authorization} ${body} | node -pe 'JSON.parse(fs.readFileSync(0)).data.id')
${commandFor('ringback')} event sample sms --account ${account.id} --webhook "$WEBHOOK"

Ctrl-C stops everything.

`;
}
