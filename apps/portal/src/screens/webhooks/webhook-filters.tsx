import { SelectField } from '../../components/field.js';
import { SearchField } from '../../components/search-field.js';
import type { Filters } from '../../data/filters.js';
import type { WebhookFilterParsers } from './index.js';

const deletedChoices = [
  { value: '', label: 'Without deleted ones' },
  { value: 'with', label: 'With deleted ones' },
  { value: 'only', label: 'Deleted ones only' },
] as const;

/** The filters of the list, which are in the URL. */
export function WebhookFilters({ filters: { texts, values, set } }: { filters: Filters<WebhookFilterParsers> }) {
  return (
    <form className="filters" role="search" aria-label="Webhooks" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Name contains" value={texts.name ?? ''} onSearch={(name) => set({ name })} />
      <SelectField
        label="Deleted"
        value={values.deleted ?? ''}
        onChange={(deleted) => set({ deleted })}
        options={deletedChoices}
      />
    </form>
  );
}
