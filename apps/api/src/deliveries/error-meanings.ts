import type { ErrorClass } from '@ringback/callbacks';

const meanings: Record<ErrorClass, string> = {
  timeout: 'no response in time',
  dns: 'the host name was not resolved',
  tls: 'no secure connection, such as for an invalid certificate',
  connect: 'no connection, including one that the host refused',
  reset: 'the connection broke',
  refused: 'Ringback refused the address',
  protocol: 'the response is not valid HTTP',
  status: 'the status of the response is not a success',
};

/** Explains the error classes, for the OpenAPI document. */
export const errorMeanings = `${Object.entries(meanings)
  .map(([errorClass, meaning]) => `\`${errorClass}\`: ${meaning}`)
  .join('; ')}.`;
