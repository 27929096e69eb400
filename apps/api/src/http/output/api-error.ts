/** The `status` of an error body, by HTTP status code. `server.ts` adds 408 and 431. */
export const errorTypes = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'ValidationError',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'ServiceUnavailable',
  508: 'LoopDetected',
} as const;

export type ErrorCode = keyof typeof errorTypes;
export type FieldErrors = Record<string, string[]>;

/** The error response to a request: an HTTP status, a message, and for 422 the messages of each field. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly errors?: FieldErrors,
    /** The page to which the portal offers a link. It is the field `return_url` of the body. */
    readonly returnUrl?: string,
  ) {
    super(message);
  }

  /** The body of the response: `{status, code, message}`, and `errors` and `return_url` if they are given. */
  toBody() {
    const body = { status: errorTypes[this.code], code: this.code, message: this.message };
    return {
      ...body,
      ...(this.errors && { errors: this.errors }),
      ...(this.returnUrl && { return_url: this.returnUrl }),
    };
  }
}

/** Creates a 422. Its message is the first error and how many others there are (docs/reference/api.md#errors). */
export function validationError(errors: FieldErrors): ApiError {
  const [first = 'The given data was invalid.', ...others] = Object.values(errors).flat();
  const suffix = others.length === 0 ? '' : ` (and ${others.length} more error${others.length === 1 ? '' : 's'})`;
  return new ApiError(422, `${first}${suffix}`, errors);
}
