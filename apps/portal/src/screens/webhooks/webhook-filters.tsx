import { SelectField } from '../../components/fields.js';
import { SearchField } from '../../components/search-field.js';
import type { WebhookListFilters } from './webhook-filter-parsers.js';

const deletedChoices = [
  { value: '', label: 'Hide deleted webhooks' },
  { value: 'with', label: 'Show deleted webhooks' },
  { value: 'only', label: 'Only deleted webhooks' },
] as const;

/** The controls of the list's filters, which are in the URL. */
export function WebhookFilters({ filters: { texts, values, change } }: { filters: WebhookListFilters }) {
  return (
    <form className="filters" role="search" aria-label="Webhooks" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Name contains" value={texts.name ?? ''} onSearch={(name) => change({ name })} />
      <SelectField
        label="Deleted"
        value={values.deleted ?? ''}
        onChange={(deleted) => change({ deleted })}
        options={deletedChoices}
      />
    </form>
  );
}
