import { useQuery } from '@tanstack/react-query';
import type { Statistics } from '../../api/schemas.js';
import { OutcomeChart } from '../../chart/outcome-chart.js';
import { StatisticsSkeleton } from '../../chart/statistics-skeleton.js';
import { QueryView } from '../../components/query-view.js';
import { Segments } from '../../components/segments.js';
import { Tile } from '../../components/tile.js';
import { type RangeName, rangeOptions, rangeQuery, webhookStatisticsQuery } from '../../resources/statistics.js';
import { useApi } from '../../session/session-context.js';
import { formatCount, formatMs, formatShare } from '../../text/numbers.js';
import { LastDeliveries } from '../webhooks/activity.js';
import { Breakdown } from './breakdown.js';

type ActivityProps = { id: string; range: RangeName; onRange: (range: RangeName) => void };

/** The statistics and the newest deliveries of the webhook. */
export function Activity({ id, range, onRange }: ActivityProps) {
  const query = useQuery(webhookStatisticsQuery(useApi(), id, range));
  return (
    <>
      <div className="section-header">
        <h2>Statistics</h2>
        <Segments label="Time range" value={range} onChange={onRange} options={rangeOptions} />
      </div>
      <QueryView query={query} skeleton={<StatisticsSkeleton />}>
        {(statistics) => (
          <>
            <KeyFigures statistics={statistics} />
            <OutcomeChart statistics={statistics} />
            <Breakdown
              id={id}
              totals={statistics.totals}
              since={rangeQuery(range, { now: Date.parse(statistics.to) }).from}
            />
          </>
        )}
      </QueryView>
      <LastDeliveries id={id} />
    </>
  );
}

function KeyFigures({ statistics: { totals, waiting } }: { statistics: Statistics }) {
  const { attempts, delivered, retried, failed, skipped, latency_ms: latency } = totals;
  return (
    <section aria-label="Key figures">
      <dl className="tiles">
        <Tile label="Attempts" value={formatCount(attempts)}>
          {formatCount(retried)} of them failed and had a retry
        </Tile>
        <Tile label="Succeeded" value={formatShare(delivered, attempts)}>
          {formatCount(delivered)} of {formatCount(attempts)}
        </Tile>
        <Tile label="Failed for good" value={formatCount(failed)}>
          {skipped > 0 && `${formatCount(skipped)} more were skipped`}
        </Tile>
        <Tile label="Median response time" value={latency ? formatMs(latency.p50) : '–'}>
          {latency && `p90: ${formatMs(latency.p90)}, p95: ${formatMs(latency.p95)}, p99: ${formatMs(latency.p99)}`}
        </Tile>
        <Tile label="Retries waiting" value={formatCount(waiting.retries)}>
          {formatCount(waiting.count)}
          {waiting.is_capped && ' or more'} deliveries waiting in total
        </Tile>
      </dl>
    </section>
  );
}
