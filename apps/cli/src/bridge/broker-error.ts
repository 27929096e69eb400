import { errorFields } from '@ringback/process';

type BrokerErrorFields = { error: string; code?: string };

/**
 * The message and code of an error's innermost cause, or of the error if it has none. The libraries wrap the error of a
 * refused connection several times.
 */
export function brokerErrorFields(error: unknown): BrokerErrorFields {
  let cause = error;
  for (let depth = 0; depth < 10; depth++) {
    const next: unknown =
      cause instanceof AggregateError ? cause.errors[0] : cause instanceof Error ? cause.cause : null;
    if (!(next instanceof Error)) break;
    cause = next;
  }
  return errorFields(cause);
}

/** Like `brokerErrorFields`, for an error while connecting. For a known error, the message also says what to check. */
export function connectErrorFields(error: unknown): BrokerErrorFields {
  const fields = brokerErrorFields(error);
  const hint = hints.find(([pattern]) => pattern.test(`${fields.code ?? ''} ${fields.error}`))?.[1];
  return hint === undefined ? fields : { ...fields, error: `${fields.error.replace(/\.$/, '')}; ${hint}` };
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/, "NODE_EXTRA_CA_CERTS must name the broker's CA file"],
  [/WRONG_VERSION_NUMBER|before secure TLS connection/, 'check whether the port uses TLS'],
  // RabbitMQ's reason does not reach the library's caller.
  [/ Expected ConnectionOpenOk/, 'the virtual host does not exist, or the user has no access to it'],
  [/ACCESS_REFUSED - access to queue| Topic authorization/, 'the user needs permission to read it'],
  [/rabbit_stream_queue/, 'the queue of --queue is a RabbitMQ stream, which the bridge cannot read'],
  [/ Group authorization/, 'the user needs permission to use the consumer group of --group'],
  [/ Request is not valid given the current SASL state/, 'this port does not accept credentials'],
  [
    / (Socket closed abruptly|Frame size|Connection closed|Request timed out)/,
    'check the port, and whether it needs TLS or a password',
  ],
];
