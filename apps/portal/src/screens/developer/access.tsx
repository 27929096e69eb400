import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../components/copy-button.js';
import { QueryView } from '../../components/query-view.js';
import { NoPermission, Skeleton } from '../../components/states.js';
import { useSeesAllWebhooks, useApi, useSession } from '../../session/session-context.js';
import { apiDocumentQuery } from './api-document.js';
import { Tokens } from './tokens.js';

/** The base URL of the API, the account's id, and its access tokens. */
export function Access() {
  const seesAllWebhooks = useSeesAllWebhooks();
  const { session } = useSession();
  const query = useQuery(apiDocumentQuery(useApi()));
  return (
    <>
      <section aria-labelledby="base-url">
        <h2 id="base-url">Base URL</h2>
        <QueryView query={query} skeleton={<Skeleton height="4rem" />}>
          {({ baseUrl }) => (
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
              <dt>Documentation</dt>
              <dd>
                <a href="/docs" target="_blank" rel="noreferrer">
                  API reference (new window)
                </a>
              </dd>
            </dl>
          )}
        </QueryView>
      </section>
      {seesAllWebhooks ? <Tokens /> : <NoPermission what="see the access tokens of the account" />}
    </>
  );
}
