import type { ErrorClass } from '@ringback/rules';

const meanings: Record<ErrorClass, string> = {
  timeout: 'no response in time',
  dns: 'the host name was not resolved',
  tls: 'the TLS handshake failed, for example because of an invalid certificate',
  connect: 'no TCP connection was made, for example because the host refused it',
  reset: 'the connection broke',
  refused: 'Ringback refused to connect, because the address is forbidden',
  protocol: 'the response is not valid HTTP',
  status: 'the status of the response is not a success',
};

/** Explains the error classes, for the OpenAPI document. */
export const errorMeanings = `${Object.entries(meanings)
  .map(([errorClass, meaning]) => `\`${errorClass}\`: ${meaning}`)
  .join('; ')}.`;
