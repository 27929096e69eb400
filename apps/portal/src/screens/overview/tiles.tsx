import { Tile } from '../../components/tile.js';
import type { AccountStatistics } from '../../data/schemas.js';
import { formatCount, formatMs, formatShare } from '../../text/numbers.js';

type TilesProps = {
  statistics: AccountStatistics;
  /** Undefined until it is loaded. */
  before: AccountStatistics | undefined;
  /** Such as "the day before". */
  comparedTo: string;
};

/** The main numbers, each against the time before. */
export function Tiles({ statistics: { totals, waiting }, before, comparedTo }: TilesProps) {
  const previous = before?.totals;
  const { latency_ms: latency } = totals;
  const previousLatency = previous?.latency_ms;
  return (
    <section aria-label="Main numbers">
      <dl className="tiles">
        <Tile label="Callbacks" value={formatCount(totals.attempts)}>
          {previous && `${formatCount(previous.attempts)} in ${comparedTo}`}
        </Tile>
        <Tile label="Succeeded" value={formatShare(totals.delivered, totals.attempts)}>
          {previous && previous.attempts > 0 && `${formatShare(previous.delivered, previous.attempts)} before`}
        </Tile>
        <Tile label="Failed for good" value={formatCount(totals.failed)}>
          {previous && `${formatCount(previous.failed)} before`}
        </Tile>
        <Tile label="Answer time, median" value={latency ? formatMs(latency.p50) : '–'}>
          {latency && `95 % within ${formatMs(latency.p95)}`}
          {previousLatency && `; before: ${formatMs(previousLatency.p50)}`}
        </Tile>
        <Tile label="Waiting now" value={`${formatCount(waiting.count)}${waiting.is_capped ? ' or more' : ''}`}>
          {formatCount(waiting.retries)} of them were tried before
        </Tile>
      </dl>
    </section>
  );
}
