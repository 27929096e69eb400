import { CopyButton } from '../../components/copy-button.js';
import { NoPermission } from '../../components/states.js';
import { useSeesAllWebhooks, useSession } from '../../session/session-context.js';
import { Tokens } from './tokens.js';

/** The base URL of the API, the account's id, and its access tokens. */
export function Access() {
  const seesAllWebhooks = useSeesAllWebhooks();
  const { session, apiPath } = useSession();
  const baseUrl = `${window.location.origin}${apiPath}`;
  return (
    <>
      <section aria-labelledby="base-url">
        <h2 id="base-url">Base URL</h2>
        <dl className="facts">
          <dt>API</dt>
          <dd>
            <code>{baseUrl}</code> <CopyButton text={baseUrl} label="Copy the base URL" />
          </dd>
          <dt>Account</dt>
          <dd>
            <code>{session.account.id}</code>{' '}
            <CopyButton text={session.account.id} label="Copy the id of the account" />
          </dd>
        </dl>
      </section>
      {seesAllWebhooks ? <Tokens /> : <NoPermission what="see the access tokens of the account" />}
    </>
  );
}
