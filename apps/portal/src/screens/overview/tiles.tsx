import type { AccountStatistics } from '../../api/schemas.js';
import { Tile } from '../../components/tile.js';
import { formatCount, formatMs, formatShare } from '../../text/numbers.js';

type KeyFiguresProps = {
  statistics: AccountStatistics;
  /** The statistics of the previous range. Undefined until they are loaded. */
  previous: AccountStatistics | undefined;
  /** The name of the previous range, such as "the previous 24 hours". */
  previousLabel: string;
};

/** The key figures, most of them with the value of the previous range. */
export function KeyFigures({ statistics: { totals, waiting }, previous, previousLabel }: KeyFiguresProps) {
  const previousTotals = previous?.totals;
  const { latency_ms: latency } = totals;
  const previousLatency = previousTotals?.latency_ms;
  return (
    <section aria-label="Key figures">
      <dl className="tiles">
        <Tile label="Attempts" value={formatCount(totals.attempts)}>
          {previousTotals && `${formatCount(previousTotals.attempts)} in ${previousLabel}`}
        </Tile>
        <Tile label="Succeeded" value={formatShare(totals.delivered, totals.attempts)}>
          {previousTotals &&
            previousTotals.attempts > 0 &&
            `${formatShare(previousTotals.delivered, previousTotals.attempts)} previously`}
        </Tile>
        <Tile label="Failed for good" value={formatCount(totals.failed)}>
          {previousTotals && `${formatCount(previousTotals.failed)} previously`}
        </Tile>
        <Tile label="Median response time" value={latency ? formatMs(latency.p50) : '–'}>
          {latency && `p95: ${formatMs(latency.p95)}`}
          {previousLatency && `; median previously ${formatMs(previousLatency.p50)}`}
        </Tile>
        <Tile label="Waiting now" value={`${formatCount(waiting.count)}${waiting.is_capped ? ' or more' : ''}`}>
          {formatCount(waiting.retries)} of them wait for a retry
        </Tile>
      </dl>
    </section>
  );
}
