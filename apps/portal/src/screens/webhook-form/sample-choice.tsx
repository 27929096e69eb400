import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.js';
import type { Delivery, EventName } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { SelectField } from '../../components/fields.js';
import { usePreferences } from '../../session/preferences.js';
import { useApi } from '../../session/session-context.js';
import { memberText } from '../../text/json.js';
import { maskNumber } from '../../text/mask.js';
import { printable } from '../../text/untrusted.js';

type SampleChoiceProps = {
  event: EventName;
  /** Called with the payload of a real event as JSON text, or with undefined for the example. */
  onChange: (sample: string | undefined) => void;
};

/** Lets the user choose the payload of the preview: that of an example, or of one of the newest real events. */
export function SampleField({ event, onChange }: SampleChoiceProps) {
  const api = useApi();
  const { time, isMasked } = usePreferences();
  const announce = useAnnounce();
  const [chosen, setChosen] = useState('');
  const recentDeliveries = useQuery({
    queryKey: ['deliveries', 'recent', event],
    queryFn: async ({ signal }) => {
      const query = { 'filter[event]': event, per_page: 30 };
      return (await unwrap(api.GET('/developer/deliveries', { params: { query }, signal }))).data;
    },
  });
  const choose = async (id: string) => {
    setChosen(id);
    if (id === '') return onChange(undefined);
    const params = { path: { id } };
    try {
      const text = await unwrap(api.GET('/developer/deliveries/{id}', { params, parseAs: 'text' }));
      onChange(memberText(text, ['data', 'payload']));
    } catch (error) {
      setChosen('');
      onChange(undefined);
      announce(error instanceof Error ? error.message : String(error));
    }
  };
  const numberOf = (number: string) => printable(isMasked ? maskNumber(number) : number);
  const labelOf = ({ created_at, mobile }: Delivery) =>
    `${time.full(created_at)}${mobile === null ? '' : `, ${numberOf(mobile)}`}`;
  const options = [
    { value: '', label: 'An example' },
    ...onePerEvent(recentDeliveries.data ?? []).map((delivery) => ({ value: delivery.id, label: labelOf(delivery) })),
  ];
  return <SelectField label="Payload" value={chosen} onChange={(id) => void choose(id)} options={options} />;
}

/** Keeps one delivery for each event. */
const onePerEvent = (deliveries: readonly Delivery[]) =>
  deliveries.filter(({ event_id }, index) => deliveries.findIndex((other) => other.event_id === event_id) === index);
