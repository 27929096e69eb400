import { type FormEvent, useState } from 'react';
import type { ShownWebhook } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/fields.js';
import { useHasScope } from '../../session/session-context.js';
import { useWebhookChange } from '../webhook/webhook-query.js';

/** The webhook's maximum number of callbacks per second. */
export function RateLimit({ webhook: { id, rate_limit: current } }: { webhook: ShownWebhook }) {
  const canWrite = useHasScope('write');
  const [text, setText] = useState(current?.toString() ?? '');
  const [problem, setProblem] = useState<string>();
  const change = useWebhookChange(id, 'The rate limit was saved.');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isNumber = /^\s*\d*\s*$/.test(text);
    setProblem(isNumber ? undefined : 'It must be a whole number, or empty.');
    if (isNumber && !change.isPending) change.mutate({ rate_limit: text.trim() === '' ? null : Number(text) });
  };
  const failure = change.error && (change.error.errors.rate_limit ?? [change.error.message]);
  return (
    <section aria-labelledby="rate">
      <h2 id="rate">Rate limit</h2>
      <p className="hint">
        {current === undefined ? 'There is no limit.' : `At most ${current} callbacks per second.`} Callbacks over the
        limit wait.
      </p>
      {canWrite && (
        <form className="inline-form" onSubmit={submit} noValidate>
          <TextField
            label="Callbacks per second"
            hint="Empty means no limit."
            inputMode="numeric"
            value={text}
            onChange={setText}
            errors={problem === undefined ? (failure ?? []) : [problem]}
          />
          <Button type="submit" isBusy={change.isPending}>
            Save the limit
          </Button>
        </form>
      )}
    </section>
  );
}
