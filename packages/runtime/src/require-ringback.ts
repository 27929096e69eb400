import { StartError } from './lifecycle.js';
import { errorFields } from './logger.js';

const timeoutMs = 10_000;

/**
 * Makes sure that a Ringback answers at a base URL, before a token is sent there: its OpenAPI document, which takes no
 * token, says so. Throws a StartError otherwise.
 */
export async function requireRingback(baseUrl: string): Promise<void> {
  const url = `${baseUrl.replace(/\/+$/, '')}/openapi.json`;
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      const { error: reason } = errorFields(error instanceof Error ? (error.cause ?? error) : error);
      throw new StartError(`${baseUrl} cannot be reached (${reason})`);
    },
  );
  const document: unknown = await response.json().catch(() => undefined);
  if (response.status === 200 && titleOf(document) === 'Ringback') return;
  throw new StartError(`what answers at ${baseUrl} is not Ringback; no token was sent`);
}

function titleOf(document: unknown): unknown {
  const info: unknown = typeof document === 'object' && document !== null ? Reflect.get(document, 'info') : undefined;
  return typeof info === 'object' && info !== null ? Reflect.get(info, 'title') : undefined;
}
