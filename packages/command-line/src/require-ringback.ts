import { errorFields, OperatorError } from '@ringback/runtime';

const timeoutMs = 10_000;

/**
 * Checks that the server at a base URL is Ringback, so that a token is never sent to another program on that port. The
 * check reads the OpenAPI document, which needs no token. Throws an OperatorError if the server cannot be reached, or
 * does not send Ringback's document within 10 s.
 */
export async function requireRingback(baseUrl: string): Promise<void> {
  const url = `${baseUrl.replace(/\/+$/, '')}/openapi.json`;
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      const { error: reason } = errorFields(error instanceof Error ? (error.cause ?? error) : error);
      throw new OperatorError(`${baseUrl} cannot be reached (${reason})`);
    },
  );
  const document: unknown = await response.json().catch(() => undefined);
  if (response.status === 200 && titleOf(document) === 'Ringback') return;
  throw new OperatorError(`the server at ${baseUrl} is not Ringback; no token was sent`);
}

function titleOf(document: unknown): unknown {
  const info: unknown = typeof document === 'object' && document !== null ? Reflect.get(document, 'info') : undefined;
  return typeof info === 'object' && info !== null ? Reflect.get(info, 'title') : undefined;
}
