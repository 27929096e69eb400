import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Api, retryWhenBusy, unwrap } from '../../api/client.js';
import { toApiFailure } from '../../api/failure.js';
import type { Delivery } from '../../api/schemas.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Progress } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { Untrusted } from '../../components/text.js';
import { DeliveryBadge, deliveryKeys } from '../../resources/deliveries.js';
import { useApi } from '../../session/session.js';
import { formatCount } from '../../text/format.js';

/** The result for one delivery. */
type ResendResult = {
  /** Why the delivery could not be resent; null after a success. */
  problem: string | null;
};

type Resends = {
  results: ReadonlyMap<string, ResendResult>;
  isRunning: boolean;
  /** Why the run stopped early, unless the user stopped it. A stopped run can be continued. */
  interruption: string | undefined;
  start: (ids: readonly string[]) => void;
  stop: () => void;
};

/** Resends deliveries one after another. It leaves out those that have a result, so a stopped run can be continued. */
function useResends(): Resends {
  const api = useApi();
  const queries = useQueryClient();
  const controller = useRef<AbortController>(null);
  const [results, setResults] = useState<ReadonlyMap<string, ResendResult>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const [interruption, setInterruption] = useState<string>();
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (ids: readonly string[]) => {
    const { signal } = (controller.current = new AbortController());
    setRunning(true);
    setInterruption(undefined);
    for (const id of ids.filter((each) => !results.has(each))) {
      const result = await resendOne(api, id, signal);
      if ('interruption' in result) {
        setInterruption(result.interruption);
        break;
      }
      setResults((current) => new Map(current).set(id, result));
      if (signal.aborted) break;
    }
    setRunning(false);
    await Promise.all(deliveryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  return {
    results,
    isRunning,
    interruption,
    start: (ids) => void run(ids),
    stop: () => controller.current?.abort(),
  };
}

async function resendOne(
  api: Api,
  id: string,
  signal: AbortSignal,
): Promise<ResendResult | { interruption: string | undefined }> {
  const params = { path: { id } };
  try {
    // Only the waits are aborted: a request may have reached the API.
    await retryWhenBusy(() => unwrap(api.POST('/developer/deliveries/{id}/resend', { params })), signal);
    return { problem: null };
  } catch (error) {
    if (signal.aborted) return { interruption: undefined };
    const { kind, message } = toApiFailure(error);
    return kind === 'offline' || kind === 'session' ? { interruption: message } : { problem: message };
  }
}

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
