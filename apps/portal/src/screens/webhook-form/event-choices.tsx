import type { EventName } from '../../api/schemas.js';
import { eventLabel, eventNames } from '../../resources/events.js';

type EventChoicesProps = { events: readonly EventName[]; onChange: (events: EventName[]) => void };

/** Lets the user choose the events that a new webhook subscribes to. */
export function EventChoices({ events, onChange }: EventChoicesProps) {
  const toggle = (event: EventName, isChosen: boolean) =>
    onChange(eventNames.filter((name) => (name === event ? isChosen : events.includes(name))));
  return (
    <fieldset>
      <legend>Events</legend>
      {eventNames.map((event) => (
        <label className="check" key={event}>
          <input
            type="checkbox"
            checked={events.includes(event)}
            onChange={({ target }) => toggle(event, target.checked)}
          />
          <span>
            {eventLabel(event)} <span className="hint code">{event}</span>
          </span>
        </label>
      ))}
      <p className="hint">If none is selected, the webhook gets only the events that the platform addresses to it.</p>
    </fieldset>
  );
}
