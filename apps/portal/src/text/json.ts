type JsonTokenKind = 'key' | 'string' | 'number' | 'literal' | 'punctuation' | 'space' | 'other';
export type JsonToken = { kind: JsonTokenKind; text: string };

const token =
  /(?<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?<number>-?\d[\d.eE+-]*)|(?<literal>true|false|null)|(?<punctuation>[{}[\],:])|(?<space>\s+)|(?<other>[^\s"{}[\],:]+|".*)/gs;

/** Splits a text into JSON tokens, even if it is not valid JSON. The tokens joined are the text. */
export function tokenizeJson(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  for (const { groups = {}, 0: found } of text.matchAll(token)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) as JsonTokenKind;
    if (found === ':') setKindOfKey(tokens);
    tokens.push({ kind, text: found });
  }
  return tokens;
}

/** The string before a colon is a key. */
function setKindOfKey(tokens: JsonToken[]): void {
  const key = tokens.findLast(({ kind }) => kind !== 'space');
  if (key?.kind === 'string') key.kind = 'key';
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Indents valid JSON. Numbers and strings keep their exact text, which JSON.parse would change. */
export function indentJson(text: string): string {
  let depth = 0;
  let last = '';
  let result = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const { kind, text: part } of tokenizeJson(text)) {
    if (kind === 'space') continue;
    const isEnd = part === '}' || part === ']';
    if (isEnd) depth -= 1;
    const isEmpty = isEnd && (last === '{' || last === '[');
    const breaks = last === '{' || last === '[' || last === ',' || isEnd;
    result += (breaks && !isEmpty && result !== '' ? line() : '') + part + (part === ':' ? ' ' : '');
    if (part === '{' || part === '[') depth += 1;
    last = part;
  }
  return result;
}

/**
 * The text of the value at a path of keys in valid JSON. Undefined if there is none. Of duplicate keys, the last one
 * counts.
 */
export function memberText(text: string, path: readonly string[]): string | undefined {
  return path.reduce<string | undefined>((value, key) => value && membersOf(value).get(key), text);
}

function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  for (const { kind, text: part } of tokenizeJson(text)) {
    const isEnd = part === '}' || part === ']';
    if (isEnd) depth -= 1;
    // `depth` is 1 at the brackets that open and close a value. Both belong to the value.
    const isInside = depth > 1 || (depth === 1 && part !== ':' && part !== ',');
    if (depth === 1 && kind === 'key') {
      key = String(JSON.parse(part));
      members.set(key, '');
    } else if (key !== undefined && isInside) members.set(key, (members.get(key) ?? '') + part);
    if (part === '{' || part === '[') depth += 1;
  }
  return new Map([...members].map(([name, value]) => [name, value.trim()]));
}
