import { z } from 'zod';
import { checkTrustedCa } from '@ringback/rules';

const mustBeObject = 'The tls field must be an object.';

/** The TLS settings of a webhook in a request. They are replaced as a whole; null removes them. */
export const tlsInput = z
  .looseObject(
    {
      ca: z
        .string({
          error: ({ input }) =>
            (input ?? '') === '' ? 'The tls.ca field is required.' : 'The tls.ca field must be a string.',
        })
        .check(({ value, issues }) => {
          const messages = value.trim() === '' ? ['The tls.ca field is required.'] : checkTrustedCa(value, new Date());
          for (const message of messages) issues.push({ code: 'custom', message, input: value });
        })
        .describe('The CA certificates, in PEM, that the receiver is trusted by.'),
    },
    mustBeObject,
  )
  // A misspelt field, or one of a later version, must not mean a request without it.
  .check(({ value, issues }) => {
    for (const name of Object.keys(value).filter((key) => key !== 'ca')) {
      const message = `The tls.${name} field is not supported. Supported: tls.ca.`;
      issues.push({ code: 'custom', path: [name], message, input: value[name] });
    }
  })
  .meta({ additionalProperties: false })
  .nullish()
  .describe(
    'TLS of callbacks. `ca` is trusted beside the public authorities, for this webhook only. Null removes it; when ' +
      'absent in an edit, unchanged.',
  );

/** The TLS settings of a webhook in a response. */
export const tlsOutput = z
  .object({ ca: z.string().describe('The CA certificates in PEM, as they were given.') })
  .optional()
  .describe('Present when set.');
