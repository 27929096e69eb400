import { unwrap } from '../../api/client.js';
import type { Change } from '../../api/schemas.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { Time, Untrusted } from '../../components/text.js';
import { useCursorPages } from '../../resources/requests.js';
import { useApi } from '../../session/session.js';

const columns: Column<Change>[] = [
  { header: 'When', isRowHeader: true, cell: ({ at }) => <Time value={at} /> },
  { header: 'What', cell: ({ action }) => actionLabel(action) },
  { header: 'Fields', cell: ({ changed }) => <ChangedFields changed={changed} /> },
  { header: 'Who', cell: (change) => <Untrusted text={actorLabel(change)} /> },
];

/** The change history of the webhook. */
export function Changes({ id }: { id: string }) {
  const api = useApi();
  const { query, goNext, goPrevious, goFirst } = useCursorPages<Change>({
    key: ['changes', id],
    fetchPage: (position, signal) => {
      const parameters = { 'filter[object_id]': id, per_page: 25, ...position };
      return unwrap(api.GET('/developer/changes', { params: { query: parameters }, signal }));
    },
  });
  return (
    <QueryView query={query} skeleton={<Skeleton height="20rem" />}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="There are no changes." />
        ) : (
          <>
            <div className="roomy">
              <Table caption="Changes" columns={columns} rows={data} rowKey={(change) => change.id} />
            </div>
            <Pager label="changes" goFirst={goFirst} goPrevious={goPrevious} goNext={goNext} />
          </>
        )
      }
    </QueryView>
  );
}

function ChangedFields({ changed }: Pick<Change, 'changed'>) {
  if (changed.length === 0) return '–';
  return (
    <ul>
      {changed.map(({ field, before, after }) => (
        <li key={field}>
          <strong>
            <Untrusted text={field} />
          </strong>
          {before === undefined && after === undefined ? (
            ' changed'
          ) : (
            <>
              :{' '}
              {before !== undefined && before !== null && (
                <>
                  <Value value={before} /> <span aria-hidden="true">→</span>
                  <span className="visually-hidden">, then</span>{' '}
                </>
              )}
              <Value value={after} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null || value === '') return <span className="hint">none</span>;
  return <Untrusted text={String(value)} />;
}

const actionLabels: Partial<Record<Change['action'], string>> = {
  'webhook.created': 'Created',
  'webhook.updated': 'Changed',
  'webhook.deleted': 'Deleted',
  'webhook.restored': 'Restored',
  'webhook.resumed': 'Resumed',
  'webhook.tested': 'Test call',
  'signing_secret.shown': 'Signing secret shown',
  'signing_secret.rotated': 'Signing secret replaced',
  'verification.started': 'Verification started',
};

/** The label of a change's action. */
const actionLabel = (action: Change['action']) => actionLabels[action] ?? action;

const actorKindLabels: Record<string, string> = {
  token: 'Access token',
  platform_token: 'Platform token',
  portal: 'Portal session',
  operator: 'Operator',
};

/** The label of a change's actor: its name with its kind, or its kind with the start of its id, if it has one. */
function actorLabel({ actor, actor_name: name }: Pick<Change, 'actor' | 'actor_name'>): string {
  const [kind = actor, id] = actor.split(':');
  const kindLabel = actorKindLabels[kind] ?? kind;
  if (name !== undefined) return `${name} (${kindLabel.toLowerCase()})`;
  return id === undefined ? kindLabel : `${kindLabel} ${id.slice(0, 8)}`;
}
