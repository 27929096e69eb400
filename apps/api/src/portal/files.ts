import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { findRoot } from '@ringback/process';

type Encoding = 'br' | 'gzip';

export type PortalFile = {
  /** The file extension, which determines the content type. */
  extension: string;
  body: Buffer;
  /** Whether the name contains a hash of the content, as in the folder `assets`. Browsers may then cache the file. */
  isHashed: boolean;
  /** Compresses the body at the first call, and keeps the result. Undefined for a file not worth compressing. */
  compress(encoding: Encoding): Promise<Buffer> | undefined;
};

export function findPortalFolder(): string {
  return fileURLToPath(new URL('apps/portal/dist', findRoot()));
}

/**
 * Reads the files in a folder, except hidden ones, by their path, such as `/assets/index-1a2b3c.js`. Empty when there
 * is no such folder.
 */
export function readPortalFiles(folder: string | undefined): Map<string, PortalFile> {
  const names = folder === undefined ? [] : listFiles(folder);
  return new Map(names.map((name) => [`/${name.split(sep).join('/')}`, readFile(join(folder ?? '', name), name)]));
}

/** Lists the files in a folder, without hidden ones such as Vite's manifest. */
function listFiles(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isHidden = (name: string) => name.split(sep).some((part) => part.startsWith('.'));
  return names.filter((name) => !isHidden(name) && statSync(join(folder, name)).isFile());
}

const compressibleExtension = /^\.(html|js|mjs|css|json|svg|txt|webmanifest)$/;
const minBytesToCompress = 1_024;
const compressors: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

function readFile(path: string, name: string): PortalFile {
  const body = readFileSync(path);
  const extension = extname(name);
  const isCompressible = compressibleExtension.test(extension) && body.length >= minBytesToCompress;
  const cache = new Map<Encoding, Promise<Buffer>>();
  const compress = (encoding: Encoding) => {
    if (!isCompressible) return undefined;
    const result = cache.get(encoding) ?? compressors[encoding](body);
    cache.set(encoding, result);
    return result;
  };
  return { extension, body, isHashed: name.startsWith(`assets${sep}`), compress };
}
