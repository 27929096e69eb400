import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { Untrusted } from '../../components/untrusted.js';
import { useApi } from '../../session/session-context.js';
import { MomentList } from '../messages/message.js';
import { TimelinePicture } from '../messages/timeline-picture.js';
import { type Message, momentsOf, tracksOf } from '../messages/timeline.js';
import { Callbacks } from './callbacks.js';

const pollMs = 5_000;
const maxEvents = 200;

/** The callbacks and the timeline of one message. */
export function MessageView({ id }: { id: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['message', id],
    queryFn: async ({ signal }) => {
      const params = { path: { message_id: id } };
      return (await unwrap(api.GET('/developer/messages/{message_id}', { params, signal }))).data;
    },
    refetchInterval: ({ state }) => state.data !== undefined && hasPending(state.data) && pollMs,
  });
  if (query.error?.kind === 'missing') {
    return (
      <EmptyState title="There is no such message.">
        <p>
          No event has the message id{' '}
          <span className="code">
            <Untrusted text={id} />
          </span>
          . Enter the complete id. Events older than the delivery log are not found.
        </p>
      </EmptyState>
    );
  }
  return (
    <QueryView query={query} skeleton={<Skeleton height="30rem" />}>
      {(message) => <Sections message={message} />}
    </QueryView>
  );
}

const hasPending = ({ events }: Message) =>
  events.some(({ deliveries }) => deliveries.some(({ state }) => state === 'pending'));

function Sections({ message }: { message: Message }) {
  const tracks = tracksOf(message);
  return (
    <>
      <section aria-labelledby="callbacks">
        <div className="section-header">
          <h2 id="callbacks">Callbacks</h2>
          <span className="hint">
            Message{' '}
            <span className="code">
              <Untrusted text={message.message_id} />
            </span>
          </span>
        </div>
        <Callbacks tracks={tracks} />
      </section>
      <section aria-labelledby="timeline">
        <div className="section-header">
          <h2 id="timeline">Timeline</h2>
          <span className="hint">Long waits are drawn shorter.</span>
        </div>
        {message.events.length >= maxEvents && <p className="notice">These are the first {maxEvents} events.</p>}
        <TimelinePicture tracks={tracks} />
        <MomentList moments={momentsOf(tracks)} />
      </section>
    </>
  );
}
