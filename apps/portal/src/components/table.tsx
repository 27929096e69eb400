import type { ReactNode } from 'react';
import { Button } from './button.js';
import { useOverflow } from './measure.js';

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** The cells of this column are the headers of their rows. Set it for one column of a table. */
  isRowHeader?: boolean;
  align?: 'end';
  /** Hidden on narrow pages. */
  isExtra?: boolean;
};

type TableProps<Row> = {
  /** Names the table for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  isBusy?: boolean;
};

/** A table. If it is wider than the page, it scrolls inside its own box. */
export function Table<Row>({ caption, columns, rows, rowKey, isBusy = false }: TableProps<Row>) {
  const { ref, isOverflowing } = useOverflow();
  return (
    <div
      className="table-scroll"
      ref={ref}
      aria-busy={isBusy}
      {...(isOverflowing ? { role: 'region', 'aria-label': `Table: ${caption}`, tabIndex: 0 } : {})}
    >
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>{columns.map((column) => renderCell(column, row))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderCell<Row>(column: Column<Row>, row: Row) {
  const attributes = { key: column.header, className: classOf(column) };
  const { key, ...rest } = attributes;
  if (column.isRowHeader) {
    return (
      <th key={key} scope="row" {...rest}>
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td key={key} {...rest}>
      {column.cell(row)}
    </td>
  );
}

const classOf = <Row,>({ align, isExtra }: Column<Row>) =>
  [align === 'end' && 'number', isExtra && 'extra'].filter(Boolean).join(' ') || undefined;

type PagerProps = {
  /** Names the list, such as "deliveries". */
  label: string;
  goPrevious: (() => void) | undefined;
  goNext: (() => void) | undefined;
  goFirst?: (() => void) | undefined;
  children?: React.ReactNode;
};

/**
 * The buttons to other pages of a list. Without a page, Previous and Next are disabled, and First is absent. `children`
 * precede the buttons.
 */
export function Pager({ label, goPrevious, goNext, goFirst, children }: PagerProps) {
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      {children}
      {goFirst && <Button onClick={goFirst}>First</Button>}
      <Button disabled={!goPrevious} onClick={goPrevious}>
        Previous
      </Button>
      <Button disabled={!goNext} onClick={goNext}>
        Next
      </Button>
    </nav>
  );
}
