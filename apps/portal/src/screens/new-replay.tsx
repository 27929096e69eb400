import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../api/client.js';
import type { Replay, ReplayCount } from '../api/schemas.js';
import { useAnnounce } from '../components/announcer.js';
import { Button } from '../components/button.js';
import { FormErrorList } from '../components/fields.js';
import { useApi } from '../session/session-context.js';
import { formatCount } from '../text/numbers.js';
import { FilterFields } from './replays/filter-fields.js';
import { formProblems, newReplayForm, type ReplayForm, toReplayRequest } from './replays/replay-form.js';

type NewReplayProps = { webhookId: string; onClose: () => void };

/** Starts a replay. It first counts the matching deliveries, and the user confirms the number. */
export function NewReplay({ webhookId, onClose }: NewReplayProps) {
  const [form, setForm] = useState(() => newReplayForm(webhookId));
  const [wasSubmitted, setSubmitted] = useState(false);
  const { count, start } = useReplayRequests(form, onClose);
  const problems = wasSubmitted ? formProblems(form) : {};
  const change = (changes: Partial<ReplayForm>) => {
    setForm({ ...form, ...changes });
    // The count does not match the changed filter.
    count.reset();
    start.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (Object.keys(formProblems(form)).length === 0 && !count.isPending) count.mutate();
  };
  const failure = start.error ?? count.error;
  const fieldErrors = failure ? Object.values(failure.errors).flat() : [];
  return (
    <section className="new-replay" aria-labelledby="new-replay">
      <h2 id="new-replay">New replay</h2>
      <form onSubmit={submit} noValidate>
        <FilterFields form={form} change={change} problems={problems} />
        <FormErrorList messages={failure && fieldErrors.length === 0 ? [failure.message] : fieldErrors} />
        <CountResult count={count.data} rate={Number(form.rate)} />
        <div className="actions">
          <Button type="submit" {...(count.data ? {} : { variant: 'primary' as const })} isBusy={count.isPending}>
            Count deliveries
          </Button>
          {count.data !== undefined && count.data.count > 0 && (
            <Button variant="primary" isBusy={start.isPending} onClick={() => start.mutate()}>
              Send {describeCount(count.data)} again
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </section>
  );
}

function useReplayRequests(form: ReplayForm, onClose: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async (isDryRun: boolean): Promise<ReplayCount | Replay> => {
    const params = { path: { id: form.webhookId } };
    const body = toReplayRequest(form, isDryRun);
    return (await unwrap(api.POST('/developer/webhooks/{id}/replay', { params, body }))).data;
  };
  const count = useMutation({
    mutationFn: async () => {
      const counted = await send(true);
      return 'count' in counted ? counted : { count: 0, complete: true };
    },
  });
  const start = useMutation({
    mutationFn: () => send(false),
    onSuccess: async () => {
      announce('The replay was started. Its progress is in the list.');
      await queries.invalidateQueries({ queryKey: ['replays'] });
      onClose();
    },
  });
  return { count, start };
}

const describeCount = ({ count, complete }: ReplayCount) => `${formatCount(count)}${complete ? '' : ' or more'}`;

function CountResult({ count, rate }: { count: ReplayCount | undefined; rate: number }) {
  return (
    <div role="status" className="count-result">
      {count?.count === 0 && <p className="notice">No delivery matches, so there is nothing to send.</p>}
      {count !== undefined && count.count > 0 && (
        <p className="notice">
          <strong>{describeCount(count)}</strong> {count.count === 1 ? 'delivery matches' : 'deliveries match'}. At{' '}
          {formatCount(rate)} per second, this takes {count.complete ? 'about' : 'at least'}{' '}
          {describeDuration(count.count / rate)}.
        </p>
      )}
    </div>
  );
}

function describeDuration(seconds: number): string {
  if (seconds < 90) return `${formatCount(Math.max(1, Math.ceil(seconds)))} s`;
  return seconds < 5_400 ? `${formatCount(Math.round(seconds / 60))} minutes` : `${(seconds / 3_600).toFixed(1)} hours`;
}
