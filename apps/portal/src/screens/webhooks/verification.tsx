import { useQuery } from '@tanstack/react-query';
import { type Api, unwrap } from '../../api/client.js';
import { toApiFailure } from '../../api/failure.js';
import type { ShownWebhook, Verification } from '../../api/schemas.js';
import { StatusBadge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { QueryView, Skeleton } from '../../components/states.js';
import { RelativeTime, Time, Untrusted } from '../../components/text.js';
import { useAction } from '../../resources/requests.js';
import { useApi, useHasScope } from '../../session/session.js';

const states: Record<Verification['status'], { label: string; tone: Tone }> = {
  pending: { label: 'In progress', tone: 'warning' },
  passed: { label: 'Passed', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
};

/** The newest verification, and a button that starts another. */
export function VerificationState({ webhook }: { webhook: ShownWebhook }) {
  const { id, verification_code: code, unreadable = [] } = webhook;
  const hasToken = code !== null || unreadable.includes('verification_code');
  const api = useApi();
  const canWrite = useHasScope('write');
  const query = useQuery({
    queryKey: ['webhook', id, 'verification'],
    queryFn: ({ signal }) => fetchVerification(api, id, signal),
    enabled: hasToken,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 1_000 : false),
  });
  return (
    <section aria-labelledby="verification">
      <h2 id="verification">Verification</h2>
      <p className="hint">The receiver must return a random string, the challenge, to prove that it is yours.</p>
      {hasToken && (
        <QueryView query={query} skeleton={<Skeleton lines={2} />}>
          {(verification) => (
            <div role="status">
              {verification ? <Outcome verification={verification} /> : <p>No verification was started.</p>}
            </div>
          )}
        </QueryView>
      )}
      {!hasToken && <p>The webhook was created without a token, so there is nothing to verify.</p>}
      {canWrite && hasToken && <VerifyButton id={id} isPending={query.data?.status === 'pending'} />}
    </section>
  );
}

/** Fetches the newest verification. Null if there was none. */
async function fetchVerification(api: Api, id: string, signal: AbortSignal): Promise<Verification | null> {
  try {
    const params = { path: { id } };
    return (await unwrap(api.GET('/developer/webhooks/{id}/verification', { params, signal }))).data;
  } catch (error) {
    if (toApiFailure(error).kind === 'missing') return null;
    throw error;
  }
}

function Outcome({ verification }: { verification: Verification }) {
  const { status, attempts, reason, advice, next_attempt_at: next, updated_at: updated } = verification;
  return (
    <dl className="facts">
      <dt>State</dt>
      <dd>
        <StatusBadge tone={states[status].tone}>{states[status].label}</StatusBadge>
      </dd>
      <dt>Attempts</dt>
      <dd>{attempts}</dd>
      {reason !== null && (
        <>
          <dt>Reason</dt>
          <dd>
            <Untrusted text={reason} />
          </dd>
        </>
      )}
      {advice !== undefined && (
        <>
          <dt>What to do</dt>
          <dd>
            <Untrusted text={advice} />
          </dd>
        </>
      )}
      <dt>{next === null ? 'Updated' : 'Next attempt'}</dt>
      <dd>{next === null ? <Time value={updated} /> : <RelativeTime value={next} />}</dd>
    </dl>
  );
}

function VerifyButton({ id, isPending }: { id: string; isPending: boolean }) {
  const api = useApi();
  const start = useAction({
    send: () => unwrap(api.POST('/developer/webhooks/{id}/verification', { params: { path: { id } } })),
    done: 'The verification was started.',
    changes: [['webhook', id, 'verification']],
  });
  return (
    <div className="actions">
      <Button isBusy={start.isPending || isPending} onClick={() => start.mutate()}>
        Verify again
      </Button>
    </div>
  );
}
