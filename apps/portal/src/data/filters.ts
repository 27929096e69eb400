import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';

/** Reads one filter from its text in the address: its value, or why it is wrong. */
export type FilterReader<T> = (text: string) => { value: T } | { problem: string };

type Readers = Record<string, FilterReader<unknown>>;
type ValuesOf<R extends Readers> = {
  [K in keyof R]?: R[K] extends FilterReader<infer T> ? T : never;
};

export type Filters<R extends Readers> = {
  /** The values of the valid filters that the address has. */
  values: ValuesOf<R>;
  /** The texts of all filters of the address, for the controls. */
  texts: { [K in keyof R]?: string };
  /** What is wrong with filters of the address. */
  problems: { name: string; problem: string }[];
  /** Changes filters; undefined and the empty text remove one. Removes the position in the list, too. */
  set: (changes: { [K in keyof R]?: string | undefined }) => void;
  clear: () => void;
};

/** Parameters of the address that are no filters. */
const positions = ['cursor', 'page'];

/** Filters that live in the query of the address. Define `readers` outside of the component. */
export function useFilters<R extends Readers>(readers: R): Filters<R> {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const read = useMemo(() => readFilters(readers, new URLSearchParams(search)), [readers, search]);
  const go = (parameters: URLSearchParams) => {
    const query = parameters.toString();
    navigate(query === '' ? path : `${path}?${query}`);
  };
  const set = (changes: { [K in keyof R]?: string | undefined }) => {
    const parameters = new URLSearchParams(search);
    for (const [name, text] of Object.entries(changes)) {
      if (text === undefined || text === '') parameters.delete(name);
      else parameters.set(name, text);
    }
    for (const name of positions) parameters.delete(name);
    go(parameters);
  };
  return { ...read, set, clear: () => go(new URLSearchParams()) };
}

/** Reads the filters of a query. */
export function readFilters<R extends Readers>(readers: R, parameters: URLSearchParams) {
  const values: ValuesOf<R> = {};
  const texts: { [K in keyof R]?: string } = {};
  const problems: { name: string; problem: string }[] = [];
  for (const [name, text] of parameters) {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (!reader && !positions.includes(name)) problems.push({ name, problem: 'There is no such filter.' });
    if (!reader || text === '') continue;
    const result = reader(text);
    Object.assign(texts, { [name]: text });
    if ('value' in result) Object.assign(values, { [name]: result.value });
    else problems.push({ name, problem: result.problem });
  }
  return { values, texts, problems };
}

/** Any text of at most `maxLength` characters. */
export const textFilter =
  (maxLength = 255): FilterReader<string> =>
  (text) =>
    text.length <= maxLength ? { value: text } : { problem: `It has more than ${maxLength} characters.` };

/** One of the given words. */
export const choiceFilter =
  <T extends string>(choices: readonly T[]): FilterReader<T> =>
  (text) => {
    const value = choices.find((choice) => choice === text);
    return value === undefined ? { problem: `It must be one of: ${choices.join(', ')}.` } : { value };
  };

/** One or more of the given words, separated by commas. */
export const choicesFilter =
  <T extends string>(choices: readonly T[]): FilterReader<T[]> =>
  (text) => {
    const parts = text.split(',').map((part) => part.trim());
    const value = choices.filter((choice) => parts.includes(choice));
    return parts.every((part) => choices.some((choice) => choice === part))
      ? { value }
      : { problem: `It must be one or more of ${choices.join(', ')}, separated by commas.` };
  };

/** A time of RFC 3339 or a day. */
export const timeFilter: FilterReader<string> = (text) =>
  /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(new Date(text).getTime())
    ? { value: text }
    : { problem: 'It must be a time such as 2026-01-31T17:30:00Z.' };

export const idFilter: FilterReader<string> = (text) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? { value: text } : { problem: 'It must be an id (UUID).' };

/** A whole number from `min` to `max`. */
export const numberFilter =
  (min: number, max: number): FilterReader<number> =>
  (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max
      ? { value }
      : { problem: `It must be a whole number from ${min} to ${max}.` };
  };
