import { z } from 'zod';
import { parseUrl } from './egress.js';
import { hasAtMostCharacters, isStorable } from './json.js';

const maxNameLength = 100;
const nameRequired = 'The theme.name field is required.';
const maxLogoLength = 32_768;

/** Whether a URL has no user name and no password. An invalid URL passes, because another check refuses it. */
export const hasNoCredentials = (text: string): boolean => {
  const url = parseUrl(text);
  return url === null || (url.username === '' && url.password === '');
};

const colour = (name: string) =>
  z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, `The theme.${name} field must be a colour such as #1a2b3c.`)
    .optional();

const isImageUrl = (text: string) =>
  parseUrl(text)?.protocol === 'https:' || /^data:image\/[a-z0-9.+-]+[;,]/i.test(text);

/** The look of the portal. A theme can set only a title, a logo, three colours and a font. */
export const portalThemeSchema = z.strictObject(
  {
    name: z
      .string({
        error: ({ input }) => (input === null ? nameRequired : 'The theme.name field must be a string.'),
      })
      .trim()
      .min(1, nameRequired)
      .refine(
        (text) => hasAtMostCharacters(text, maxNameLength),
        `The theme.name field must not be greater than ${maxNameLength} characters.`,
      )
      .refine(isStorable, 'The theme.name field holds a character that is not allowed.')
      .optional()
      .describe('The title of the portal.'),
    logo_url: z
      .string()
      .max(maxLogoLength, `The theme.logo_url field must not be greater than ${maxLogoLength} characters.`)
      .refine(
        (text) => isStorable(text) && isImageUrl(text),
        'The theme.logo_url field must be an https: or data:image URL.',
      )
      .refine(hasNoCredentials, 'The theme.logo_url field must not have a user name or password.')
      .optional()
      .describe(
        'A data:image URL, or an https: URL whose origin is that of the portal or one that the operator allows.',
      ),
    accent: colour('accent'),
    background: colour('background'),
    text: colour('text'),
    font: z
      .string()
      .regex(/^[\w ,'"-]{1,200}$/, 'The theme.font field must be a list of font names.')
      .optional()
      .describe('Names of installed fonts, separated by commas.'),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `The theme field must not have ${issue.keys.join(', ')}.`
        : 'The theme field must be an object.',
  },
);

export type PortalTheme = z.output<typeof portalThemeSchema>;

/** Parses `PORTAL_THEME`: the operator's default theme as JSON. Throws an Error that says what is wrong. */
export function parsePortalTheme(text: string): PortalTheme {
  const { data, error } = portalThemeSchema.safeParse(parseJson(text));
  if (data) return data;
  throw new Error(`is not a theme. ${error.issues[0]?.message}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
