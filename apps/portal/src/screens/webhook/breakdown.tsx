import { Link } from 'wouter';
import type { Statistics } from '../../api/schemas.js';
import { type Column, Table } from '../../components/table.js';
import { errorLabel } from '../../resources/errors.js';
import { formatCount, formatShare } from '../../text/numbers.js';

type BreakdownProps = {
  id: string;
  totals: Statistics['totals'];
  /** The start of the range, for the links to deliveries. */
  since: string;
};

/** The numbers of attempts by response status, and by error if there was no response. */
export function Breakdown({ id, totals: { by_status, by_error, attempts }, since }: BreakdownProps) {
  const hrefOf = (filter: Record<string, string>) =>
    `/deliveries?${new URLSearchParams({ webhook_id: id, ...filter, since }).toString()}`;
  const statuses = rowsOf(by_status, (status) => ({ label: status, href: hrefOf({ response_code: status }) }));
  const errors = rowsOf(by_error, (error) => ({ label: errorLabel(error), href: hrefOf({ error }) }));
  return (
    <div className="pair">
      <section aria-labelledby="statuses">
        <h2 id="statuses">Responses by status</h2>
        <CountTable caption="Responses by status" header="Status" rows={statuses} total={attempts} />
      </section>
      <section aria-labelledby="errors">
        <h2 id="errors">Attempts without a response</h2>
        <CountTable caption="Attempts without a response" header="Error" rows={errors} total={attempts} />
      </section>
    </div>
  );
}

type CountRow = { label: string; href: string; count: number };

/** One row for each count, largest first. */
const rowsOf = (counts: Record<string, number>, describe: (key: string) => Omit<CountRow, 'count'>): CountRow[] =>
  Object.entries(counts)
    .sort(([, first], [, second]) => second - first)
    .map(([key, count]) => ({ ...describe(key), count }));

type CountTableProps = { caption: string; header: string; rows: readonly CountRow[]; total: number };

function CountTable({ caption, header, rows, total }: CountTableProps) {
  if (rows.length === 0) return <p className="hint">None in this time range.</p>;
  const columns: Column<CountRow>[] = [
    { header, isRowHeader: true, cell: ({ label, href }) => <Link href={href}>{label}</Link> },
    { header: 'Attempts', align: 'end', cell: ({ count }) => formatCount(count) },
    { header: 'Share', align: 'end', cell: ({ count }) => formatShare(count, total) },
  ];
  return <Table caption={caption} columns={columns} rows={rows} rowKey={({ label }) => label} />;
}
