import { choiceFilter, type Filters, textFilter } from '../../resources/filters.js';

/** The parsers of the filters in the URL. */
export const webhookFilterParsers = { name: textFilter(), deleted: choiceFilter(['only', 'with']) };

export type WebhookListFilters = Filters<typeof webhookFilterParsers>;
