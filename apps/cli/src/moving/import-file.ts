import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Importer, ImportLine, ImportResult } from '@ringback/ledger';
import type { AllowList } from '@ringback/rules';
import { type LineHead, parseLine, readLine } from './lines.js';

type Kind = ImportLine['type'] | 'unknown';
type Counts = Record<ImportResult['state'], number>;
type Remark = { line: number; type: Kind; reason: string };

/** What became of the lines of a file. */
export type ImportSummary = { types: Record<string, Counts>; refused: Remark[]; warnings: Remark[] };

type ImportDeps = {
  importer: Pick<Importer, 'importBatch'>;
  allowList: AllowList;
  /** Told which stage runs, how many lines it has passed, and the fraction of it that is done. */
  onProgress: (stage: string, lineCount: number, fraction: number) => void;
  onRemark: (remark: Remark, isWarning: boolean) => void;
};

type Stage = { name: string; selects: (line: LineHead) => boolean; types: ImportLine['type'][] };

// An object comes after those that it refers to, and new ids after those that are given.
const stages: Stage[] = [
  { name: 'accounts', types: ['account'], selects: ({ type }) => type === 'account' },
  {
    name: 'webhooks and access tokens',
    types: ['webhook', 'access_token'],
    selects: ({ type }) => type === 'webhook' || type === 'access_token',
  },
  {
    name: 'subscriptions',
    types: ['subscription'],
    selects: ({ type, hasId }) => type === 'subscription' && hasId,
  },
  {
    name: 'subscriptions without an id, and event keys',
    types: ['subscription', 'event_key'],
    selects: ({ type, hasId }) => type === 'event_key' || (type === 'subscription' && !hasId),
  },
];

/** `keys`: what the lines name. */
type Batch = { lines: { number: number; line: ImportLine }[]; keys: Set<string> };

const batchSize = 500;
const progressEvery = 1_000;
/** A webhook has at most 16 KB each of template and certificates, 8 KB of uri, and the ids of its subscriptions. */
const maxLineLength = 10_000_000;

/**
 * Runs `work` with the path of a file that has the input: the file itself, or a copy of stdin that only we can read.
 */
export async function withInputFile<T>(file: string | undefined, work: (path: string) => Promise<T>): Promise<T> {
  if (file !== undefined && file !== '-') return work(file);
  const folder = mkdtempSync(join(tmpdir(), 'ringback-import-'));
  try {
    const path = join(folder, 'lines');
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await work(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imports a file. It is read once for each stage, so that its lines may stand in any order and need no memory. */
export class FileImport {
  readonly #deps: ImportDeps;
  readonly #path: string;
  readonly #summary: ImportSummary = { types: {}, refused: [], warnings: [] };
  /** The lines of a stage that wait for the others of their batch, of which all have one type. */
  readonly #batches = new Map<ImportLine['type'], Batch>();

  constructor(deps: ImportDeps, path: string) {
    this.#deps = deps;
    this.#path = path;
  }

  async run(): Promise<ImportSummary> {
    for (const stage of stages) await this.#runStage(stage);
    const byLine = (a: Remark, b: Remark) => a.line - b.line;
    this.#summary.refused.sort(byLine);
    this.#summary.warnings.sort(byLine);
    return this.#summary;
  }

  async #runStage(stage: Stage): Promise<void> {
    const { onProgress } = this.#deps;
    const isFirst = stage === stages[0];
    // A type may have escaped letters.
    const words = [...stage.types.map((type) => `"${type}"`), '\\u'];
    onProgress(stage.name, 0, 0);
    let number = 0;
    for await (const { text, isUtf8, fraction } of readLines(this.#path)) {
      number++;
      if (number % progressEvery === 0) onProgress(stage.name, number, fraction);
      // The first stage also refuses what is no line of a known type. The others read only what may be theirs.
      if (!isUtf8) {
        if (isFirst) this.#refuse(number, typeOf(text), 'is not UTF-8');
      } else if (text.trim() !== '' && (isFirst || words.some((word) => text.includes(word)))) {
        await this.#take(text, { number, stage, isFirst });
      }
    }
    for (const batch of this.#batches.values()) await this.#flush(batch);
  }

  async #take(
    text: string,
    { number, stage, isFirst }: { number: number; stage: Stage; isFirst: boolean },
  ): Promise<void> {
    if (text.length > maxLineLength) {
      if (isFirst) this.#refuse(number, typeOf(text), 'is too long');
      return;
    }
    const read = readLine(text);
    if (!read.ok) {
      if (isFirst) this.#refuse(number, typeOf(text), read.reason);
      return;
    }
    if (!stage.selects(read.head)) return;
    const parsed = parseLine(read.head, read.value, text, this.#deps.allowList);
    if (!parsed.ok) return this.#refuse(number, parsed.type, parsed.reason);
    const { line, warnings } = parsed;
    for (const reason of warnings) this.#remark({ line: number, type: line.type, reason }, true);
    const batch = this.#batchOf(line.type);
    const keys = keysOf(line);
    if (batch.lines.length >= batchSize || keys.some((key) => batch.keys.has(key))) await this.#flush(batch);
    batch.lines.push({ number, line });
    for (const key of keys) batch.keys.add(key);
  }

  #batchOf(type: ImportLine['type']): Batch {
    const batch = this.#batches.get(type) ?? { lines: [], keys: new Set() };
    this.#batches.set(type, batch);
    return batch;
  }

  async #flush(batch: Batch): Promise<void> {
    const lines = batch.lines.splice(0);
    batch.keys.clear();
    const results = await this.#deps.importer.importBatch(lines.map(({ line }) => line));
    for (const [index, result] of results.entries()) {
      const { number = 0, line } = lines[index] ?? {};
      if (!line) continue;
      if (result.state === 'refused') this.#refuse(number, line.type, result.reason);
      else this.#countsOf(line.type)[result.state]++;
    }
  }

  #refuse(line: number, type: Kind, reason: string): void {
    this.#countsOf(type).refused++;
    this.#remark({ line, type, reason }, false);
  }

  #remark(remark: Remark, isWarning: boolean): void {
    this.#summary[isWarning ? 'warnings' : 'refused'].push(remark);
    this.#deps.onRemark(remark, isWarning);
  }

  #countsOf(type: Kind): Counts {
    return (this.#summary.types[type] ??= { created: 0, updated: 0, unchanged: 0, refused: 0 });
  }
}

/** The type of a line that is refused, for the summary. */
function typeOf(text: string): Kind {
  const [, type] = /"type"\s*:\s*"(account|access_token|webhook|subscription|event_key)"/.exec(text) ?? [];
  return (type as Kind | undefined) ?? 'unknown';
}

/** What a line names. Two lines of a batch must not name the same. */
function keysOf(line: ImportLine): string[] {
  if (line.type === 'account' || line.type === 'webhook') return [line.id];
  if (line.type === 'access_token') return [line.hash, ...(line.id === undefined ? [] : [line.id])];
  if (line.type === 'event_key') {
    return [line.key ?? JSON.stringify([line.event, line.webhookId ?? line.accountId, line.platformEventId])];
  }
  const { id, accountId, event, identity, webhookId } = line;
  return [JSON.stringify([accountId, event, identity, webhookId]), ...(id === undefined ? [] : [String(id)])];
}

type FileLine = { text: string; isUtf8: boolean; fraction: number };

/** The lines of a file, which only a line feed ends, and how much of the file has been read. */
async function* readLines(path: string): AsyncGenerator<FileLine> {
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 });
  const size = Math.max(1, statSync(path).size);
  let rest = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed, start)) {
      yield toLine(rest.subarray(start, end), stream.bytesRead / size);
      start = end + 1;
    }
    // The start of a line that is too long is enough to refuse it. A character has at most 3 bytes for each unit of its
    // length.
    rest = rest.subarray(start, start + 4 * maxLineLength);
  }
  if (rest.length > 0) yield toLine(rest, 1);
}

const lineFeed = 0x0a;

const toLine = (bytes: Buffer, fraction: number): FileLine => ({
  text: bytes.toString('utf8').replace(/^\uFEFF/, ''),
  isUtf8: isUtf8(bytes),
  fraction,
});
