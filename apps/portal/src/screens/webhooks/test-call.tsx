import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { unwrap } from '../../api/client.js';
import { fetchConfig } from '../../api/config.js';
import type { Attempt, EventName, TestCall } from '../../api/schemas.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { FormErrorList, SelectField, TextAreaField } from '../../components/fields.js';
import { NoPermission } from '../../components/states.js';
import { AdviceText, ExchangeView } from '../../resources/attempts.js';
import { failureLabel } from '../../resources/errors.js';
import { eventOptions } from '../../resources/events.js';
import { useApi, useHasScope } from '../../session/session.js';
import { isJson } from '../../text/json.js';

/** Sends a test call, and shows the request and the response. */
export default function TestCallPanel({ id }: { id: string }) {
  return useHasScope('write') ? <TestCallForm id={id} /> : <NoPermission what="send test calls" />;
}

function TestCallForm({ id }: { id: string }) {
  const [event, setEvent] = useState<EventName>('sms:message:status');
  const [payload, setPayload] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const test = useTestCall(id);
  const prefix = useHeaderPrefix();
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    const hasProblem = payload.trim() !== '' && !isJson(payload);
    setInvalid(hasProblem);
    if (!hasProblem && !test.isPending) test.mutate({ event, payload });
  };
  const errors = test.error?.errors ?? {};
  const messages = test.error && !errors.payload ? [test.error.message] : [];
  return (
    <>
      <form className="panel" onSubmit={submit} noValidate>
        <p>
          A test call sends one request at once, without retries. It is like the callback of an event, with the
          additional header {prefix}Test.
        </p>
        <FormErrorList messages={messages} />
        <SelectField label="Event" value={event} onChange={setEvent} options={eventOptions} />
        <TextAreaField
          label="Payload (JSON)"
          hint="Empty sends an example."
          value={payload}
          onChange={setPayload}
          errors={isInvalid ? ['This is not valid JSON.'] : errors.payload}
          rows={4}
          spellCheck={false}
        />
        <Button type="submit" variant="primary" isBusy={test.isPending}>
          Send test call
        </Button>
      </form>
      <ResultArea isPending={test.isPending}>{test.data && <TestResult call={test.data.data} />}</ResultArea>
    </>
  );
}

/** What the names of a callback's headers begin with. */
const useHeaderPrefix = () => useQuery({ queryKey: ['config'], queryFn: fetchConfig }).data?.headerPrefix ?? '';

function useTestCall(id: string) {
  const api = useApi();
  return useMutation({
    mutationFn: ({ event, payload }: { event: EventName; payload: string }) => {
      const body = payload.trim() === '' ? { event } : { event, payload };
      return unwrap(api.POST('/developer/webhooks/{id}/test', { params: { path: { id } }, body }));
    },
  });
}

/** Shows the result, and scrolls to it when it arrives. */
function ResultArea({ isPending, children }: { isPending: boolean; children: React.ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  const hasResult = Boolean(children) && !isPending;
  useEffect(() => {
    if (hasResult) area.current?.scrollIntoView({ block: 'nearest' });
  }, [hasResult]);
  return (
    <div className="test-result" ref={area} aria-live="polite" aria-busy={isPending}>
      {isPending ? <p className="hint">Sending the test call …</p> : children}
    </div>
  );
}

/** The result of a test call: the outcome, advice if it failed, the request and the response. */
function TestResult({ call: { attempt, id } }: { call: TestCall }) {
  const prefix = useHeaderPrefix();
  return (
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      <TestOutcome attempt={attempt} />
      <AdviceText attempt={attempt} />
      <ExchangeView attempt={attempt} />
      <p className="hint">
        {prefix}Delivery: <span className="code">{id}</span>. Test calls are not in the delivery log.
      </p>
    </section>
  );
}

function TestOutcome({ attempt: { error, response } }: { attempt: Attempt }) {
  const code = response?.code ?? null;
  return (
    <p className="result-outcome">
      {error === null ? (
        <>
          <StatusBadge tone="success">Accepted</StatusBadge> The receiver returned the status {code}.
        </>
      ) : (
        <StatusBadge tone="danger">{failureLabel({ error, response_code: code, reason: null })}</StatusBadge>
      )}
    </p>
  );
}
