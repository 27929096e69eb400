import { unwrap } from '../api/client.js';
import type { Replay } from '../api/schemas.js';
import { StatusBadge, type Tone } from '../components/badge.js';
import { Button } from '../components/button.js';
import { ConfirmButton } from '../components/dialog.js';
import { EmptyState, NoPermission, Progress, QueryView, Skeleton } from '../components/states.js';
import { type Column, Pager, Table } from '../components/table.js';
import { PhoneNumber, Time, Untrusted } from '../components/text.js';
import { Page } from '../layout/page.js';
import { errorLabel } from '../resources/errors.js';
import { eventLabel } from '../resources/events.js';
import { choiceFilter, idFilter, useFilters } from '../resources/filters.js';
import { useAction, useCursorPages } from '../resources/requests.js';
import { WebhookField, WebhookLink } from '../resources/webhooks.js';
import { useApi, useHasScope } from '../session/session.js';
import { formatCount } from '../text/format.js';
import { NewReplay } from './new-replay.js';

const parsers = { webhook_id: idFilter, new: choiceFilter(['1']) };

/** The replays with their progress, and the form of a new one. */
export default function ReplaysScreen() {
  const filters = useFilters(parsers);
  const { values, change } = filters;
  const canReplay = useHasScope('replay');
  const isNew = values.new === '1';
  const start = canReplay && !isNew && (
    <Button variant="primary" onClick={() => change({ new: '1' })}>
      New replay
    </Button>
  );
  return (
    <Page
      title="Replays"
      actions={start}
      subtitle="A replay sends many deliveries of a webhook again."
      filters={filters}
    >
      {isNew && !canReplay && <NoPermission what="start replays" />}
      {isNew && canReplay && (
        <NewReplay
          key={values.webhook_id ?? ''}
          webhookId={values.webhook_id ?? ''}
          onClose={() => change({ new: undefined })}
        />
      )}
      {!isNew && (
        <div className="filters">
          <WebhookField
            label="Webhook"
            noneLabel="All webhooks"
            value={values.webhook_id ?? ''}
            onChange={(id) => change({ webhook_id: id })}
          />
        </div>
      )}
      <ReplayList webhookId={values.webhook_id} />
    </Page>
  );
}

/** Whether the replay has not ended: it makes more deliveries pending. */
const isRunning = ({ state }: Replay) => state === 'running';

const replayColumns: Column<Replay>[] = [
  { header: 'Started', isRowHeader: true, cell: ({ created_at }) => <Time value={created_at} /> },
  { header: 'Webhook', cell: ({ webhook_id }) => <WebhookLink id={webhook_id} /> },
  { header: 'Progress', cell: (replay) => <ReplayProgress replay={replay} /> },
  { header: 'Deliveries', cell: ({ filter }) => <ReplayFilter filter={filter} /> },
  { header: 'Rate', align: 'end', isExtra: true, cell: ({ rate }) => `${rate}/s` },
  { header: 'Action', cell: (replay) => isRunning(replay) && <CancelReplay replay={replay} /> },
];

const pollMs = 1_000;
const idleMs = 15_000;

/** The replays, newest first, refetched every second while one is running, else every 15 s. */
function ReplayList({ webhookId }: { webhookId: string | undefined }) {
  const api = useApi();
  const { query, goNext, goPrevious, goFirst } = useCursorPages<Replay>({
    key: ['replays', { webhookId }],
    fetchPage: (position, signal) => {
      const filter = webhookId === undefined ? {} : { 'filter[webhook_id]': webhookId };
      return unwrap(api.GET('/developer/replays', { params: { query: { ...filter, ...position } }, signal }));
    },
    refetchMs: (data) => (data?.some(isRunning) ? pollMs : idleMs),
  });
  return (
    <QueryView query={query} skeleton={<Skeleton height="16rem" />}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="There are no replays.">
            <p>After an outage of a receiver, a replay sends the failed and the skipped deliveries again.</p>
          </EmptyState>
        ) : (
          <>
            <div className="roomy">
              <Table caption="Replays" columns={replayColumns} rows={data} rowKey={({ id }) => id} />
            </div>
            <Pager label="replays" goFirst={goFirst} goPrevious={goPrevious} goNext={goNext} />
          </>
        )
      }
    </QueryView>
  );
}

const states: Record<Replay['state'], { label: string; tone: Tone }> = {
  running: { label: 'Running', tone: 'info' },
  done: { label: 'Done', tone: 'success' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
};

/** The progress of a replay. */
function ReplayProgress({ replay: { state, replayed, total, reason } }: { replay: Replay }) {
  const { label, tone } = states[state];
  return (
    <div className="replay-progress">
      <StatusBadge tone={tone}>{label}</StatusBadge>
      {state === 'running' && <Progress label="Progress of the replay" value={replayed} max={total} />}
      <div className="hint">
        {formatCount(replayed)}
        {total !== null && ` of ${formatCount(total)}`} sent again
      </div>
      {reason !== null && (
        <div className="hint">
          <Untrusted text={reason} />
        </div>
      )}
    </div>
  );
}

/** The filter of a replay, in words. */
function ReplayFilter({ filter }: Pick<Replay, 'filter'>) {
  const { status, event, error, response_code: code, message_id: message, mobile, since, until } = filter;
  const parts = [
    status !== null && `State: ${status.replaceAll(',', ', ')}`,
    event !== null && eventLabel(event),
    error !== null && errorLabel(error),
    code !== null && `Response code: ${code}`,
    message !== null && (
      <>
        Message <Untrusted text={message} />
      </>
    ),
    mobile !== null && <PhoneNumber number={mobile} />,
    since !== null && (
      <>
        From <Time value={since} />
      </>
    ),
    until !== null && (
      <>
        Until <Time value={until} />
      </>
    ),
  ].filter((part) => part !== false);
  return (
    <ul>
      {parts.map((part, index) => (
        <li key={index}>{part}</li>
      ))}
    </ul>
  );
}

/** Stops a running replay after a confirmation. */
function CancelReplay({ replay: { id } }: { replay: Replay }) {
  const api = useApi();
  const canReplay = useHasScope('replay');
  const cancel = useAction({
    send: () => unwrap(api.POST('/developer/replays/{id}/cancel', { params: { path: { id } } })),
    done: 'The replay was cancelled.',
    changes: [['replays']],
  });
  if (!canReplay) return null;
  return (
    <ConfirmButton
      label="Stop"
      name="Stop the replay"
      title="Stop this replay?"
      isBusy={cancel.isPending}
      onConfirm={() => cancel.mutate()}
    >
      <p>Deliveries that it has already made pending are still sent. The others stay as they are.</p>
    </ConfirmButton>
  );
}
