import { z } from 'zod';
import { unknownPlaceholders } from '@ringback/callbacks';
import type { Webhook } from '@ringback/database';
import { knownScopes } from '../events/samples.js';

export const warningFields = {
  warnings: z
    .array(z.string())
    .optional()
    .describe('Placeholders that no event has, as far as they are specified; present when there are any.'),
};

/** `warnings` beside the data of an answer when a template has placeholders that no event has; else nothing. */
export function warningsOf({ uri, payload: template }: Webhook): { warnings?: string[] } {
  const warnings = unknownPlaceholders({ uri, template }, knownScopes());
  return warnings.length > 0 ? { warnings } : {};
}
