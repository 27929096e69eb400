import { useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/fields.js';

type SearchFormProps = { text: string; onSearch: (search: { id?: string; mobile?: string }) => void };

/** Searches for a message by its id, or for the messages of a number. */
export function SearchForm({ text, onSearch }: SearchFormProps) {
  const [draft, setDraft] = useState({ from: text, text });
  // When the URL has another message id or number, this replaces the draft.
  if (draft.from !== text) setDraft({ from: text, text });
  const [errors, setErrors] = useState<string[]>([]);
  const search = () => {
    const trimmed = draft.text.trim();
    setErrors(trimmed === '' ? ['Enter a message id or a number.'] : []);
    if (trimmed !== '') onSearch(parseSearch(trimmed));
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

/** 8 to 15 digits, with or without separators and a plus sign, are a phone number. Everything else is a message id. */
export function parseSearch(text: string): { id?: string; mobile?: string } {
  const number = text.replaceAll(/[\s().-]/g, '');
  return /^\+?\d{8,15}$/.test(number) ? { mobile: number } : { id: text };
}
