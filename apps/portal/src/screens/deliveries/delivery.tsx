import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { FilterProblems } from '../../components/filter-problems.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { Page } from '../../layout/page.js';
import { deliveryQuery, type DeliveryWithPayload } from '../../resources/deliveries.js';
import { numberFilter, useFilters } from '../../resources/filters.js';
import { useApi } from '../../session/session-context.js';
import { Actions } from '../delivery/actions.js';
import { AttemptView } from '../delivery/attempt-view.js';
import { Attempts } from '../delivery/attempts.js';
import { EventDetails } from '../delivery/event-details.js';
import { Outcome } from './outcome.js';
import '../delivery/delivery.css';

const parsers = { attempt: numberFilter(1, 1_000_000_000) };

/** One delivery: its state, advice, attempts and event. */
export default function DeliveryScreen() {
  const api = useApi();
  const { id = '' } = useParams<{ id: string }>();
  const query = useQuery(deliveryQuery(api, id));
  const { values, problems, change, clear } = useFilters(parsers);
  return (
    <Page title="Delivery" subtitle={<Link href="/deliveries">All deliveries</Link>}>
      <FilterProblems problems={problems} onClear={clear} />
      <QueryView query={query} skeleton={<Skeleton height="40rem" />}>
        {(delivery) => (
          <>
            <Outcome delivery={delivery}>
              <Actions delivery={delivery} onSent={() => change({ attempt: undefined })} />
            </Outcome>
            <AttemptsSection delivery={delivery} number={values.attempt} />
            <EventDetails delivery={delivery} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function AttemptsSection({ delivery, number }: { delivery: DeliveryWithPayload; number: number | undefined }) {
  const { attempts, attempt_count: count } = delivery;
  const selected = attempts.find((attempt) => attempt.number === number) ?? attempts.at(-1);
  return (
    <>
      <section aria-labelledby="attempts">
        <div className="section-header">
          <h2 id="attempts">Attempts</h2>
          {count > attempts.length && (
            <span className="hint">
              The newest {attempts.length} of {count}
            </span>
          )}
        </div>
        {number !== undefined && selected?.number !== number && <p className="notice">There is no attempt {number}.</p>}
        {selected ? (
          <Attempts delivery={delivery} selected={selected} />
        ) : (
          <EmptyState title="There are no attempts yet." />
        )}
      </section>
      {selected && <AttemptView delivery={delivery} attempt={selected} />}
    </>
  );
}
