import { canonicalize, encodingsOf, minSecretLength, type SecretEncoding } from './secret-encodings.js';

const mask = '[secret]';
const maxDecodings = 2;

/** A range of the joined texts: from `start` to `end`, `end` excluded. */
type Range = { start: number; end: number };

/**
 * Masks secrets of at least 4 characters in a receiver's texts before they are stored. Finds secrets that are plain,
 * percent-encoded, escaped as in JSON or HTML, hexadecimal, part of base64 text, split over several texts, or cut off
 * at the end of the last text.
 */
export function maskSecrets(texts: readonly string[], secrets: readonly string[]): string[] {
  const joined = texts.join('');
  if (joined.length < minSecretLength) return [...texts];
  const encodings = secrets.flatMap(encodingsOf);
  const ranges: Range[] = [];
  const search = (text: string, decodings: readonly RegExp[]) => {
    const hits = findEncodings(canonicalize(text), encodings);
    if (hits.length > 0) ranges.push(...rangesIn(joined, decodings, hits));
    if (decodings.length === maxDecodings) return;
    for (const escape of escapes) {
      const decoded = text.replace(escape, unescapeOne);
      if (decoded !== text) search(decoded, [...decodings, escape]);
    }
  };
  search(joined, []);
  return ranges.length === 0 ? [...texts] : maskRanges(texts, ranges);
}

type Hit = Range & { isTruncated: boolean; isBase64: boolean };

/** Finds encodings of secrets in a canonicalized text, including one that is cut off at the end of the text. */
function findEncodings(text: string, encodings: readonly SecretEncoding[]): Hit[] {
  const hits: Hit[] = [];
  for (const { text: encoded, prefix, isBase64 } of encodings) {
    for (let start = text.indexOf(prefix); start !== -1; start = text.indexOf(prefix, start + 1)) {
      const end = start + encoded.length;
      if (encoded.startsWith(text.slice(start, end)))
        hits.push({ start, end, isTruncated: end > text.length, isBase64 });
    }
  }
  return hits;
}

// Each pattern also matches an escape that is cut off at the end of the text.
const escapes = [
  /%(?:[0-9a-f]{2}|[0-9a-f]?$)/gi,
  /\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[^ux]|(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?$)/gi,
  /&(?:#x[0-9a-f]{1,6};|#\d{1,7};|amp;|lt;|gt;|quot;|apos;|#?\w{0,7}$)/gi,
];
const namedEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const hexadecimal = /^(?:%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|(?:\\u\{|&#x)([0-9a-f]{1,6})[;}])$/i;

function unescapeOne(escape: string): string {
  const name = /^&(\w+);$/.exec(escape)?.[1];
  if (name !== undefined) return namedEntities[name.toLowerCase()] ?? '';
  const decimal = /^&#(\d+);$/.exec(escape)?.[1];
  if (decimal !== undefined) return characterOf(Number(decimal));
  const hex = hexadecimal.exec(escape)?.slice(1).find(Boolean);
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
  // Escapes of white space become nothing, because canonicalized text has no white space. So do cut-off escapes and \b.
  return /^\\[^nrtbfux]$/.test(escape) ? escape.slice(1) : '';
}

const characterOf = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

type Piece = Range & { text: string };

/**
 * Maps hits in the decoded and canonicalized text to ranges of the joined texts. This is slow, because it maps each
 * character, but hits are rare.
 */
function rangesIn(joined: string, decodings: readonly RegExp[], hits: readonly Hit[]): Range[] {
  let pieces: Piece[] = Array.from({ length: joined.length }, (_, start) => ({
    start,
    end: start + 1,
    text: joined.charAt(start),
  }));
  for (const escape of decodings) pieces = decodePieces(pieces, escape);
  const characters = pieces.flatMap((piece) => Array.from({ length: canonicalize(piece.text).length }, () => piece));
  // The base64 character next to a hit also encodes a part of the secret.
  const base64CharactersAt = (at: number) => (/[\w+/-]/.test(joined.charAt(at)) ? 1 : 0);
  return hits.map((hit) => {
    const start = characters[hit.start]?.start ?? 0;
    const end = hit.isTruncated ? joined.length : (characters[hit.end - 1]?.end ?? joined.length);
    if (!hit.isBase64) return { start, end };
    return { start: start - base64CharactersAt(start - 1), end: end + base64CharactersAt(end) };
  });
}

/**
 * Decodes one level of escapes and keeps the range from which each character came. A piece has at most one UTF-16 unit.
 */
function decodePieces(pieces: readonly Piece[], escape: RegExp): Piece[] {
  const units = pieces.filter(({ text }) => text !== '');
  const text = units.map((piece) => piece.text).join('');
  const decoded: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(escape)) {
    decoded.push(...units.slice(at, match.index));
    at = match.index + match[0].length;
    const range = { start: units[match.index]?.start ?? 0, end: units[at - 1]?.end ?? 0 };
    decoded.push(
      ...unescapeOne(match[0])
        .split('')
        .map((unit) => ({ ...range, text: unit })),
    );
  }
  return [...decoded, ...units.slice(at)];
}

function maskRanges(texts: readonly string[], ranges: readonly Range[]): string[] {
  const sorted = [...ranges].sort((left, right) => left.start - right.start);
  let offset = 0;
  return texts.map((text) => {
    let kept = '';
    let at = 0;
    for (const range of sorted) {
      const start = Math.max(range.start - offset, 0);
      const end = Math.min(range.end - offset, text.length);
      if (end <= at || start >= text.length) continue;
      // Ranges that overlap or touch get one mask.
      if (start > at || kept === '') kept += `${text.slice(at, Math.max(start, at))}${mask}`;
      at = end;
    }
    offset += text.length;
    return kept + text.slice(at);
  });
}
