import { Link } from 'wouter';
import type { Attempt } from '../../api/schemas.js';
import { StatusBadge } from '../../components/status-badge.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/text.js';
import type { DeliveryWithPayload } from '../../resources/deliveries.js';
import { errorLabel } from '../../resources/errors.js';
import { formatMs } from '../../text/numbers.js';

const kindLabels: Record<string, string> = { scheduled: 'Scheduled', resend: 'Sent again', test: 'Test' };

type AttemptsProps = { delivery: DeliveryWithPayload; selected: Attempt };

/** The list of attempts. The selected one is shown below it. */
export function Attempts({ delivery, selected }: AttemptsProps) {
  const columns: Column<Attempt>[] = [
    {
      header: 'Attempt',
      isRowHeader: true,
      cell: ({ number }) => (
        <Link
          href={`/deliveries/${delivery.id}?attempt=${number}`}
          aria-current={number === selected.number ? 'true' : undefined}
        >
          Attempt&nbsp;{number}
        </Link>
      ),
    },
    { header: 'Result', cell: (attempt) => <AttemptBadge attempt={attempt} /> },
    {
      header: 'Started',
      cell: ({ started_at }) => (
        <span className="nowrap">
          <Time value={started_at} />
        </span>
      ),
    },
    { header: 'Duration', align: 'end', cell: ({ timings }) => formatMs(timings.total_ms) },
    { header: 'Kind', isExtra: true, cell: ({ kind }) => kindLabels[kind] ?? kind },
  ];
  return (
    <div className="whole-words">
      <Table
        caption="List of attempts"
        columns={columns}
        rows={[...delivery.attempts].reverse()}
        rowKey={({ number }) => String(number)}
      />
    </div>
  );
}

function AttemptBadge({ attempt: { error, response } }: { attempt: Attempt }) {
  if (error === null) return <StatusBadge tone="success">{`Status ${response?.code ?? '–'}`}</StatusBadge>;
  const text = error === 'status' ? `Status ${response?.code ?? '–'}` : errorLabel(error);
  return <StatusBadge tone="danger">{text}</StatusBadge>;
}
