import { unwrap } from '../api/client.js';
import type { Replay } from '../api/schemas.js';
import { Pager } from '../components/pager.js';
import { QueryView } from '../components/query-view.js';
import { EmptyState, Skeleton } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { WebhookLink } from '../components/webhook-link.js';
import { useCursorPages } from '../resources/requests.js';
import { useApi } from '../session/session-context.js';
import { CancelReplay } from './replays/cancel-replay.js';
import { ReplayFilter } from './replays/replay-filter.js';
import { isRunning } from './replays/replay-form.js';
import { ReplayProgress } from './replays/replay-progress.js';

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
export function ReplayList({ webhookId }: { webhookId: string | undefined }) {
  const api = useApi();
  const { query, goNext, goPrevious, goFirst } = useCursorPages<Replay>({
    key: ['replays', { webhookId }],
    fetchPage: (cursor, signal) => {
      const filter = webhookId === undefined ? {} : { 'filter[webhook_id]': webhookId };
      const parameters = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
      return unwrap(api.GET('/developer/replays', { params: { query: parameters }, signal }));
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
