import type { Request } from 'express';
import { z } from 'zod';
import type { WebhookFilter } from '@ringback/ledger';
import { hasAtMostCharacters, isStorable } from '@ringback/rules';
import { allowFilters, queryText } from '../http/input.js';
import { ApiError, validationError } from '../http/response.js';

const trashedChoices = ['with', 'only'] as const;

/** The query parameters of `readWebhookFilter`, for the OpenAPI document. */
export const webhookFilterQuery = {
  'filter[name]': z
    .string()
    .optional()
    .describe(
      'A part of the name, case-insensitive. Commas separate alternatives: at most 20, of 255 characters each.',
    ),
  'filter[trashed]': z
    .enum(trashedChoices)
    .optional()
    .describe('`with` includes deleted webhooks, `only` lists only those.'),
};

const maxNames = 20;
const maxNameLength = 255;

/** Reads the alternatives in `filter[name]`, without empty ones. Throws a 422 for too many or too long ones. */
export function readNames(text: string): string[] {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const nameError = (message: string) => validationError({ 'filter[name]': [`The filter[name] field ${message}.`] });
  if (names.length > maxNames) throw nameError(`must not have more than ${maxNames} alternatives`);
  const isTooLong = names.some((part) => !hasAtMostCharacters(part, maxNameLength));
  if (isTooLong) throw nameError(`must not have an alternative of more than ${maxNameLength} characters`);
  return names;
}

/**
 * Reads `filter[name]` and `filter[trashed]`; `linkQuery` holds those that are not empty, which page URLs repeat.
 * Throws a 400 for another filter or an invalid `filter[trashed]`, and a 422 for an invalid `filter[name]`.
 */
export function readWebhookFilter(request: Request): WebhookFilter & { linkQuery: [string, string][] } {
  allowFilters(request, 'name', 'trashed');
  const name = queryText(request, 'filter[name]') ?? '';
  if (!isStorable(name)) {
    throw validationError({ 'filter[name]': ['The filter[name] field holds a character that is not allowed.'] });
  }
  const trashed = queryText(request, 'filter[trashed]') ?? '';
  const choice = trashedChoices.find((known) => known === trashed);
  if (trashed !== '' && choice === undefined) throw new ApiError(400, 'The filter trashed must be "with" or "only".');
  const names = readNames(name);
  const linkQuery: [string, string][] = [
    ['filter[name]', name],
    ['filter[trashed]', trashed],
  ];
  return {
    names,
    trashed: choice ?? 'without',
    linkQuery: linkQuery.filter(([, value]) => value !== ''),
  };
}
