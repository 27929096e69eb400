import { commandFor } from '@ringback/runtime';
import { type DemoAccount, demoSessionMinutes } from './demo-account.js';

export type Greeting = {
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
