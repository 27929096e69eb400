import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';

/** Parses the text of one filter in the URL. Returns its value, or a problem to show. */
type FilterParser<T> = (text: string) => { value: T } | { problem: string };

type Parsers = Record<string, FilterParser<unknown>>;
type ValuesOf<R extends Parsers> = {
  [K in keyof R]?: R[K] extends FilterParser<infer T> ? T : never;
};

export type Filters<R extends Parsers> = {
  /** The values of the valid filters in the URL. */
  values: ValuesOf<R>;
  /** The texts of the known, non-empty filters in the URL, valid or not, for the controls. */
  texts: { [K in keyof R]?: string };
  /** What is wrong with filters in the URL. */
  problems: { name: string; problem: string }[];
  /** Changes the given filters; undefined or an empty text removes a filter. The list then shows its first page. */
  change: (changes: { [K in keyof R]?: string | undefined }) => void;
  /** Removes the whole query of the URL. */
  clear: () => void;
};

/** Query parameters of the URL that are not filters: they say which page of the list is shown. */
const positionParameters = ['cursor', 'page'];

/**
 * The filters of a list, which are stored in the URL's query. Define `parsers` outside the component: with a new
 * object, each render parses the filters again.
 */
export function useFilters<R extends Parsers>(parsers: R): Filters<R> {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const parsed = useMemo(() => parseFilters(parsers, new URLSearchParams(search)), [parsers, search]);
  const go = (parameters: URLSearchParams) => {
    const query = parameters.toString();
    navigate(query === '' ? path : `${path}?${query}`);
  };
  const change = (changes: { [K in keyof R]?: string | undefined }) => {
    const parameters = new URLSearchParams(search);
    for (const [name, text] of Object.entries(changes)) {
      if (text === undefined || text === '') parameters.delete(name);
      else parameters.set(name, text);
    }
    for (const name of positionParameters) parameters.delete(name);
    go(parameters);
  };
  return { ...parsed, change, clear: () => go(new URLSearchParams()) };
}

/** Parses the filters in a URL's query. */
export function parseFilters<R extends Parsers>(parsers: R, parameters: URLSearchParams) {
  const values: ValuesOf<R> = {};
  const texts: { [K in keyof R]?: string } = {};
  const problems: { name: string; problem: string }[] = [];
  for (const [name, text] of parameters) {
    const parser = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
    if (!parser && !positionParameters.includes(name)) problems.push({ name, problem: 'There is no such filter.' });
    if (!parser || text === '') continue;
    const result = parser(text);
    Object.assign(texts, { [name]: text });
    if ('value' in result) Object.assign(values, { [name]: result.value });
    else problems.push({ name, problem: result.problem });
  }
  return { values, texts, problems };
}

/** Any text of at most `maxLength` characters. */
export const textFilter =
  (maxLength = 255): FilterParser<string> =>
  (text) =>
    text.length <= maxLength ? { value: text } : { problem: `It has more than ${maxLength} characters.` };

/** One of the given words. */
export const choiceFilter =
  <T extends string>(choices: readonly T[]): FilterParser<T> =>
  (text) => {
    const value = choices.find((choice) => choice === text);
    return value === undefined ? { problem: `It must be one of: ${choices.join(', ')}.` } : { value };
  };

/** One or more of the given words, separated by commas. */
export const choicesFilter =
  <T extends string>(choices: readonly T[]): FilterParser<T[]> =>
  (text) => {
    const parts = text.split(',').map((part) => part.trim());
    const value = choices.filter((choice) => parts.includes(choice));
    return parts.every((part) => choices.some((choice) => choice === part))
      ? { value }
      : { problem: `It must be one or more of ${choices.join(', ')}, separated by commas.` };
  };

/** A day, or a time that starts with one and that JavaScript's `Date` can parse. */
export const timeFilter: FilterParser<string> = (text) =>
  /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(new Date(text).getTime())
    ? { value: text }
    : { problem: 'It must be a time such as 2026-01-31T17:30:00Z.' };

export const idFilter: FilterParser<string> = (text) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? { value: text } : { problem: 'It must be an id (UUID).' };

/** A whole number from `min` to `max`. */
export const numberFilter =
  (min: number, max: number): FilterParser<number> =>
  (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max
      ? { value }
      : { problem: `It must be a whole number from ${min} to ${max}.` };
  };
