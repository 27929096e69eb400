import { useState } from 'react';
import { type Column, Table } from '../components/table.js';
import { usePreferences } from '../session/preferences.js';
import { formatCount } from '../text/numbers.js';
import type { ChartProps } from './chart-props.js';

type Bucket = { start: string; index: number };

/** The numbers of a chart as a table, without empty buckets. */
export function ChartTable({ label, starts, interval, series }: ChartProps) {
  const { time } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const columns: Column<Bucket>[] = [
    { header: 'Start', isRowHeader: true, cell: ({ start }) => time.bucket(start, interval) },
    ...series.map(({ label: header, values }): Column<Bucket> => ({
      header,
      align: 'end',
      cell: ({ index }) => formatCount(values[index] ?? 0),
    })),
  ];
  const rows = starts
    .map((start, index) => ({ start, index }))
    .filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) > 0));
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>View as a table</summary>
      {isOpen && rows.length === 0 && <p className="hint">There is no data in this time range.</p>}
      {isOpen && rows.length > 0 && (
        <Table caption={label} columns={columns} rows={rows} rowKey={({ start }) => start} />
      )}
    </details>
  );
}
