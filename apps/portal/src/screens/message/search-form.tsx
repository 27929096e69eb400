import { useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';

type SearchFormProps = { text: string; onSearch: (found: { id?: string; mobile?: string }) => void };

/** Looks for a message by its id, or for the messages of a number. */
export function SearchForm({ text, onSearch }: SearchFormProps) {
  const [draft, setDraft] = useState({ from: text, text });
  // Another message in the URL replaces the text.
  if (draft.from !== text) setDraft({ from: text, text });
  const [errors, setErrors] = useState<string[]>([]);
  const search = () => {
    const wanted = draft.text.trim();
    setErrors(wanted === '' ? ['Enter a message id or a number.'] : []);
    if (wanted !== '') onSearch(readSearch(wanted));
  };
  return (
    <form
      role="search"
      className="message-search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <TextField
        label="Message id or number"
        value={draft.text}
        onChange={(value) => setDraft({ ...draft, text: value })}
        errors={errors}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </form>
  );
}

/** Digits, perhaps with spaces and the like between them, are a number; everything else is a message id. */
export function readSearch(text: string): { id?: string; mobile?: string } {
  const number = text.replaceAll(/[\s().-]/g, '');
  return /^\+?\d{8,15}$/.test(number) ? { mobile: number } : { id: text };
}
