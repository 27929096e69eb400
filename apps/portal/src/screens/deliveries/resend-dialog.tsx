import type { Delivery } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Progress } from '../../components/meter.js';
import { StatusBadge } from '../../components/status-badge.js';
import { type Column, Table } from '../../components/table.js';
import { Untrusted } from '../../components/untrusted.js';
import { DeliveryBadge } from '../../labels/delivery-states.js';
import { formatCount } from '../../text/numbers.js';
import { type Resends, useResends } from './use-resends.js';

type ResendDialogProps = { deliveries: readonly Delivery[]; onCancel: () => void; onDone: () => void };

/** Resends the selected deliveries after a confirmation, and shows for each whether the API accepted the resend. */
export function ResendDialog({ deliveries, onCancel, onDone }: ResendDialogProps) {
  const resends = useResends();
  const { results, isRunning } = resends;
  const isDone = results.size === deliveries.length;
  return (
    <Dialog
      title={`Send ${formatCount(deliveries.length)} again`}
      isOpen
      {...(isRunning ? {} : { onClose: results.size > 0 ? onDone : onCancel })}
    >
      <Notes deliveries={deliveries} resends={resends} />
      {results.size > 0 && <Progress label="Progress" value={results.size} max={deliveries.length} />}
      <Table
        caption="Selected deliveries"
        columns={columnsFor(resends)}
        rows={deliveries}
        rowKey={({ id }) => id}
        isBusy={isRunning}
      />
      <div className="actions">
        {!isDone && (
          <Button variant="primary" isBusy={isRunning} onClick={() => resends.start(deliveries.map(({ id }) => id))}>
            {results.size > 0 ? 'Continue' : 'Send again'}
          </Button>
        )}
        {isRunning && <Button onClick={resends.stop}>Stop</Button>}
        {!isRunning && <Button onClick={results.size > 0 ? onDone : onCancel}>{isDone ? 'Close' : 'Cancel'}</Button>}
      </div>
    </Dialog>
  );
}

function Notes({ deliveries, resends }: { deliveries: readonly Delivery[]; resends: Resends }) {
  const { results, interruption } = resends;
  const isDone = results.size === deliveries.length;
  return (
    <>
      {results.size === 0 && <Warning deliveries={deliveries} />}
      {interruption !== undefined && <p role="alert">Stopped: {interruption}</p>}
      {results.size > 0 && !isDone && <p>{summaryOf(results, deliveries.length)}</p>}
      {/* Screen readers announce only the final result. */}
      <div role="status">{isDone && <p>{summaryOf(results, deliveries.length)}</p>}</div>
    </>
  );
}

function Warning({ deliveries }: { deliveries: readonly Delivery[] }) {
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length;
  return (
    <>
      <p>
        Each delivery gets one more attempt at once, with the current settings of its webhook. A pending delivery gets
        its next attempt at once.
      </p>
      {delivered > 0 && <p>{formatCount(delivered)} of them were delivered: the receiver gets them again.</p>}
    </>
  );
}

function summaryOf(results: Resends['results'], total: number): string {
  const problems = [...results.values()].filter(({ problem }) => problem !== null).length;
  const rest = problems > 0 ? `, ${formatCount(problems)} could not be` : '';
  return `${formatCount(results.size - problems)} of ${formatCount(total)} were sent again${rest}.`;
}

const columnsFor = ({ results }: Resends): Column<Delivery>[] => [
  {
    header: 'Message',
    isRowHeader: true,
    cell: ({ id, message_id }) => (
      <span className="code">
        <Untrusted text={message_id ?? id} />
      </span>
    ),
  },
  {
    header: 'Result',
    cell: ({ id, state }) => {
      const result = results.get(id);
      if (!result) return <DeliveryBadge state={state} />;
      if (result.problem === null) return <StatusBadge tone="success">Sent again</StatusBadge>;
      return <StatusBadge tone="danger">{result.problem}</StatusBadge>;
    },
  },
];
