import {
  choiceFilter,
  choicesFilter,
  type Filters,
  idFilter,
  numberFilter,
  textFilter,
  timeFilter,
} from '../../data/filters.js';
import { errorClasses } from '../../labels/errors.js';
import { eventNames } from '../../labels/events.js';
import { deliveryStates } from '../../labels/delivery-states.js';

/** The filters in the URL have the names of the API's filters. */
export const parsers = {
  status: choicesFilter(deliveryStates),
  event: choiceFilter(eventNames),
  webhook_id: idFilter,
  mobile: textFilter(),
  message_id: textFilter(),
  response_code: numberFilter(100, 999),
  error: choiceFilter(errorClasses),
  since: timeFilter,
  until: timeFilter,
};

export type DeliveryFilters = Filters<typeof parsers>;

/** The filters as the query parameters of the API. */
export function toQuery(values: DeliveryFilters['values']): Record<string, string> {
  const { status, response_code: code, ...others } = values;
  const texts = { ...others, status: status?.join(','), response_code: code?.toString() };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[`filter[${name}]`, text]])),
  );
}
