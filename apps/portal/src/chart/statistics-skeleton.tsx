import { Skeleton } from '../components/states.js';

/** A placeholder for the tiles and the chart while they load, with the same height. */
export function StatisticsSkeleton() {
  return (
    <>
      <section>
        <Skeleton height="6rem" />
      </section>
      <section>
        <Skeleton height="20.5rem" />
      </section>
    </>
  );
}
