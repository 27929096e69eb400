import { deliveryStates } from '../../labels/delivery-states.js';
import { errorClasses } from '../../resources/errors.js';
import { eventNames } from '../../resources/events.js';
import { choiceFilter, choicesFilter, type Filters, idFilter, numberFilter, textFilter, timeFilter } from '../../resources/filters.js';

/** The parsers of the filters in the URL, which have the same names as in the API. */
export const deliveryFilterParsers = {
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

export type DeliveryFilters = Filters<typeof deliveryFilterParsers>;

/** Converts the filters to query parameters of the API. */
export function toQuery(values: DeliveryFilters['values']): Record<string, string> {
  const { status, response_code: code, ...others } = values;
  const texts = { ...others, status: status?.join(','), response_code: code?.toString() };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[`filter[${name}]`, text]])),
  );
}
