import type { Delivery } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Pager } from '../../components/pager.js';
import { EmptyState } from '../../components/states.js';
import { Table } from '../../components/table.js';
import type { CursorPages } from '../../resources/requests.js';
import { columnsFor } from './columns.js';
import { SelectionBar } from './selection.js';
import type { Selection } from './use-selection.js';

type DeliveryListProps = {
  rows: readonly Delivery[];
  pages: CursorPages<Delivery>;
  /** Undefined if the session may not resend. */
  selection: Selection | undefined;
  /** Undefined if there are no filters. */
  onClear: (() => void) | undefined;
};

/** One page of deliveries, with buttons to other pages. */
export function DeliveryList({ rows, pages, selection, onClear }: DeliveryListProps) {
  const { query, goFirst, goNext, goPrevious } = pages;
  return (
    <>
      {selection && <SelectionBar rows={rows} selection={selection} />}
      {rows.length > 0 ? (
        <div className="whole-words">
          <Table
            caption="Deliveries"
            columns={columnsFor(selection)}
            rows={rows}
            rowKey={({ id }) => id}
            isBusy={query.isPlaceholderData}
          />
        </div>
      ) : (
        <NoRows goNext={goNext} onClear={onClear} />
      )}
      <Pager label="deliveries" goFirst={goFirst} goPrevious={goPrevious} goNext={goNext} />
    </>
  );
}

function NoRows({ goNext, onClear }: { goNext: (() => void) | undefined; onClear: (() => void) | undefined }) {
  if (goNext) {
    return (
      <EmptyState title="No match in this part of the log.">
        <p>The log is long, so it is searched in parts.</p>
        <Button onClick={goNext}>Search the next part</Button>
      </EmptyState>
    );
  }
  if (onClear) {
    return (
      <EmptyState title="No delivery matches the filters.">
        <p>A delivery must match all of them. Numbers and message ids must be complete.</p>
        <Button onClick={onClear}>Clear all filters</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="There are no deliveries yet.">
      <p>They appear here when an event arrives for one of your webhooks.</p>
      <ButtonLink href="/webhooks">Go to the webhooks</ButtonLink>
    </EmptyState>
  );
}
