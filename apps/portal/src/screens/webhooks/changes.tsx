import { unwrap } from '../../api/client.js';
import type { Change } from '../../api/schemas.js';
import { Pager } from '../../components/pager.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { Untrusted } from '../../components/untrusted.js';
import { useCursorPages } from '../../resources/requests.js';
import { useApi } from '../../session/session-context.js';
import { actionLabel, actorLabel } from '../webhook/change-labels.js';

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
    fetchPage: (cursor, signal) => {
      const parameters = { 'filter[object_id]': id, per_page: 25, ...(cursor === undefined ? {} : { cursor }) };
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

function Value({ value }: { value: string | number | boolean | null | undefined }) {
  if (value === undefined || value === null || value === '') return <span className="hint">none</span>;
  return <Untrusted text={String(value)} />;
}
