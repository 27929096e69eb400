import { Skeleton } from '../components/states.js';

/** Stands for tiles and a chart while they load, and is as high as they are. */
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
