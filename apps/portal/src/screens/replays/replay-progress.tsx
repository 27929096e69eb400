import type { Replay } from '../../api/schemas.js';
import { Progress } from '../../components/meter.js';
import { StatusBadge, type Tone } from '../../components/status-badge.js';
import { Untrusted } from '../../components/untrusted.js';
import { formatCount } from '../../text/numbers.js';

const states: Record<Replay['state'], { label: string; tone: Tone }> = {
  running: { label: 'Running', tone: 'info' },
  done: { label: 'Done', tone: 'success' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
};

/** The progress of a replay. */
export function ReplayProgress({ replay: { state, replayed, total, reason } }: { replay: Replay }) {
  const { label, tone } = states[state];
  return (
    <div className="replay-progress">
      <StatusBadge tone={tone}>{label}</StatusBadge>
      {state === 'running' && <Progress label="Progress of the replay" value={replayed} max={total} />}
      <div className="hint">
        {formatCount(replayed)}
        {total !== null && ` of ${formatCount(total)}`} sent again
      </div>
      {reason !== null && (
        <div className="hint">
          <Untrusted text={reason} />
        </div>
      )}
    </div>
  );
}
