/** Text that may be put into a page as it is. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | Part[];

/** A piece of a page: what is filled in is escaped, unless it is a piece itself. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.map((text, index) => text + (index < parts.length ? render(parts[index] ?? '') : '')).join(''));

function render(part: Part): string {
  if (Array.isArray(part)) return part.map(render).join('');
  return part instanceof Html ? part.text : escape(String(part));
}

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Paragraphs, with what is in backticks as code. */
export const prose = (text: string): Html[] => text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);

export const inline = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
