type FailureKind =
  'offline' | 'session' | 'forbidden' | 'missing' | 'invalid' | 'conflict' | 'busy' | 'unavailable' | 'unexpected';

const kinds: Record<number, FailureKind> = {
  400: 'invalid',
  401: 'session',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  422: 'invalid',
  429: 'busy',
  503: 'unavailable',
};

type FieldErrors = Record<string, string[]>;

/**
 * A failure as the portal shows it: its kind, a message, and the errors of each field. It is created from an error
 * response of the API, because there was no response, or from an error in the page.
 */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  readonly kind: FailureKind;
  /** The HTTP status; 0 without a response, 500 for an error in the page. */
  readonly status: number;
  readonly errors: FieldErrors;
  /** The body of the response, for fields that only some endpoints return. */
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.message === 'string' ? body.message : `The service returned the status ${status}.`);
    this.status = status;
    this.kind = kinds[status] ?? 'unexpected';
    this.errors = isFieldErrors(body.errors) ? body.errors : {};
    this.body = body;
  }
}

/** The failure of a request that got no response, or of code that could not be loaded. */
export class OfflineFailure extends ApiFailure {
  override readonly kind = 'offline';

  constructor() {
    super(0, { message: 'The service could not be reached. Check your connection.' });
  }
}

/** Whether the value is an object with keys: neither null nor an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFieldErrors = (value: unknown): value is FieldErrors =>
  isRecord(value) && Object.values(value).every((texts) => Array.isArray(texts));

/** Converts any error to an ApiFailure, which can be shown. */
export function toApiFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure(500, { message: error instanceof Error ? error.message : 'Something went wrong.' });
}
