import { useQuery } from '@tanstack/react-query';
import { OutcomeChart } from '../../chart/outcome-chart.js';
import { StatisticsSkeleton } from '../../chart/statistics-skeleton.js';
import { FilterProblems } from '../../components/filter-problems.js';
import { QueryView } from '../../components/query-view.js';
import { Segments } from '../../components/segments.js';
import { Page } from '../../layout/page.js';
import { choiceFilter, useFilters } from '../../resources/filters.js';
import { accountStatisticsQuery, rangeNames, rangeOptions, ranges } from '../../resources/statistics.js';
import { useApi } from '../../session/session-context.js';
import { FailingWebhooks } from '../overview.js';
import { LastFailures, lastFailuresQuery } from './last-failures.js';
import { KeyFigures } from './tiles.js';

const parsers = { range: choiceFilter(rangeNames) };

/** The statistics of the account, and its newest failures. */
export default function OverviewScreen() {
  const api = useApi();
  const { values, problems, change, clear } = useFilters(parsers);
  const range = values.range ?? '24h';
  const current = useQuery(accountStatisticsQuery(api, { range }));
  const previous = useQuery(accountStatisticsQuery(api, { range, isPrevious: true }));
  // The failures load with the statistics, but are shown after them, so that nothing moves.
  useQuery(lastFailuresQuery(api));
  const picker = (
    <Segments label="Time range" value={range} onChange={(value) => change({ range: value })} options={rangeOptions} />
  );
  const skeleton = (
    <>
      <StatisticsSkeleton />
      <FailingWebhooks />
    </>
  );
  return (
    <Page title="Overview" actions={picker}>
      <FilterProblems problems={problems} onClear={clear} />
      <QueryView query={current} skeleton={skeleton}>
        {(statistics) => (
          <>
            <KeyFigures statistics={statistics} previous={previous.data} previousLabel={ranges[range].previousLabel} />
            <OutcomeChart statistics={statistics} />
            <FailingWebhooks statistics={statistics} />
          </>
        )}
      </QueryView>
      {!current.isPending && <LastFailures />}
    </Page>
  );
}
