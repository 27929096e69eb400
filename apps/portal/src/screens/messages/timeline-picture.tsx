import { useWidth } from '../../components/measure.js';
import { Untrusted } from '../../components/text.js';
import { eventLabel } from '../../resources/events.js';
import { useWebhookName } from '../../resources/webhooks.js';
import { usePreferences } from '../../session/preferences.js';
import { formatCount } from '../../text/format.js';
import {
  createTimeScale,
  formatElapsed,
  type Moment,
  momentsOf,
  payloadStatus,
  type TimeScale,
  type Track,
} from './timeline.js';

const maxTracks = 30;
const margin = 12;
const trackHeight = 24;
const labelWidth = 80;

/** The first 30 tracks of the timeline as an image. The list below it has all moments as text. */
export function TimelinePicture({ tracks }: { tracks: readonly Track[] }) {
  const { time } = usePreferences();
  const { ref, width } = useWidth();
  const shown = tracks.slice(0, maxTracks);
  const moments = momentsOf(shown);
  const first = moments[0];
  const last = moments.at(-1);
  if (!first || !last) return null;
  const scale = createTimeScale(
    moments.map(({ ms }) => ms),
    labelWidth / Math.max(labelWidth, width - 2 * margin),
  );
  const x = (ms: number) => margin + scale.at(ms) * Math.max(0, width - 2 * margin);
  const label = `Timeline of ${formatCount(moments.length)} moments from ${time.full(first.time)} to ${time.full(last.time)}. The list below has these moments as text.`;
  return (
    <div className="picture" role="img" aria-label={label}>
      {shown.map((track) => (
        <div className={track.delivery ? 'track' : 'track track-event'} key={track.key}>
          <span className="track-label">
            <TrackLabel track={track} />
          </span>
          <svg width={width} height={trackHeight}>
            <TrackLine track={track} x={x} />
          </svg>
        </div>
      ))}
      <div ref={ref}>
        <Axis scale={scale} x={x} width={width} startMs={first.ms} />
      </div>
      {tracks.length > maxTracks && <p className="hint">Only the first {maxTracks} lines are shown.</p>}
    </div>
  );
}

function TrackLabel({ track: { event, delivery } }: { track: Track }) {
  const status = payloadStatus(event);
  if (delivery) return <WebhookLabel id={delivery.webhook_id} />;
  return (
    <>
      {eventLabel(event.event)}
      {status !== undefined && (
        <strong>
          {' '}
          <Untrusted text={status} />
        </strong>
      )}
    </>
  );
}

function WebhookLabel({ id }: { id: string }) {
  const name = useWebhookName(id);
  return (
    <>
      to <Untrusted text={name ?? id} />
    </>
  );
}

/** The horizontal position of a moment, in pixels. */
type PositionOf = (ms: number) => number;

function TrackLine({ track, x }: { track: Track; x: PositionOf }) {
  const { event, delivery, moments } = track;
  const start = new Date(event.received_at).getTime();
  const end = moments.at(-1)?.ms ?? start;
  return (
    <>
      {delivery && <line className="track-line" x1={x(start)} x2={x(end)} y1={trackHeight / 2} y2={trackHeight / 2} />}
      {moments.map((moment) => (
        <Mark moment={moment} x={x(moment.ms)} key={moment.key} />
      ))}
    </>
  );
}

/** A diamond for an event, a circle with a check or a cross for an attempt, an empty circle for the next one. */
function Mark({ moment, x }: { moment: Moment; x: number }) {
  const position = `translate(${x.toFixed(1)} ${trackHeight / 2})`;
  if (moment.kind === 'event') return <path className="mark-event" d="M0-6L6 0 0 6-6 0z" transform={position} />;
  if (moment.kind === 'next') return <circle className="mark-next" r={7} transform={position} />;
  const isSuccess = moment.attempt.error === null;
  return (
    <g transform={position} className={isSuccess ? 'mark-success' : 'mark-failure'}>
      <circle r={8} />
      <path d={isSuccess ? 'M-3.5 0.3L-1 2.8 3.7-2.8' : 'M-2.8-2.8L2.8 2.8M2.8-2.8L-2.8 2.8'} />
    </g>
  );
}

type AxisProps = { scale: TimeScale; x: PositionOf; width: number; startMs: number };

function Axis({ scale, x, width, startMs }: AxisProps) {
  const { time } = usePreferences();
  return (
    <svg width={width} height={20}>
      {scale.ticks.map((ms) => (
        <text
          className="tick"
          key={ms}
          x={x(ms)}
          y={14}
          textAnchor={x(ms) < labelWidth / 2 ? 'start' : x(ms) > width - labelWidth / 2 ? 'end' : 'middle'}
        >
          {ms === startMs ? time.bucket(new Date(ms).toISOString(), 'minute') : formatElapsed(ms - startMs)}
        </text>
      ))}
    </svg>
  );
}
