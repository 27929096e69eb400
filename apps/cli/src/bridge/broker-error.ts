import { errorFields } from '@ringback/runtime';

/** The message and code of the error that caused this one: the libraries wrap a refused connection several times. */
export function brokerErrorFields(error: unknown): { error: string; code?: string } {
  let cause = error;
  for (let depth = 0; depth < 10; depth++) {
    const next: unknown =
      cause instanceof AggregateError ? cause.errors[0] : cause instanceof Error ? cause.cause : null;
    if (!(next instanceof Error)) break;
    cause = next;
  }
  return errorFields(cause);
}
