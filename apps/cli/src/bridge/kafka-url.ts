import { isIP } from 'node:net';
import { OperatorError, percentDecode } from '@ringback/process';

const mechanisms = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;

export type KafkaServers = {
  bootstrapBrokers: string[];
  /** Present for `kafka+ssl`. */
  tls?: Record<string, never>;
  /** Whether TLS sends the broker's name (SNI). False if a broker has an IP address, which is no such name. */
  tlsServerName?: boolean;
  sasl?: { mechanism: (typeof mechanisms)[keyof typeof mechanisms]; username: string; password: string };
};

const pattern =
  /^kafka(?<tls>\+ssl)?:\/\/(?:(?<credentials>[^@/]*)@)?(?<hosts>[^@/?#]+)\/?(?:\?sasl=(?<sasl>[^&#]*))?$/;

/**
 * Parses `kafka://[user:password@]host[:port],host[:port][?sasl=plain|scram-sha-256|scram-sha-512]`; `kafka+ssl://`
 * uses TLS. Throws an OperatorError, without the URL, if it does not have this form.
 */
export function parseKafkaUrl(url: string): KafkaServers {
  const { tls, credentials, hosts, sasl = 'plain' } = pattern.exec(url)?.groups ?? {};
  const mechanism = Object.entries(mechanisms).find(([name]) => name === sasl)?.[1];
  if (hosts === undefined || mechanism === undefined) throw new OperatorError(invalidUrl);
  const bootstrapBrokers = hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:9092`));
  const areNames = bootstrapBrokers.every((broker) => isIP(broker.replace(/:\d+$/, '')) === 0);
  return {
    bootstrapBrokers,
    ...(tls === undefined ? {} : { tls: {}, tlsServerName: areNames }),
    ...(credentials === undefined ? {} : { sasl: { mechanism, ...parseCredentials(credentials) } }),
  };
}

function parseCredentials(text: string): { username: string; password: string } {
  const [, username, password] = /^([^:]+):(.+)$/s.exec(text)?.map(percentDecode) ?? [];
  if (username === undefined || password === undefined) throw new OperatorError(invalidUrl);
  return { username, password };
}

const invalidUrl =
  'the URL of Kafka must look like kafka://user:password@host:9092,host:9092?sasl=scram-sha-512, with kafka+ssl:// for TLS ' +
  `(sasl is one of ${Object.keys(mechanisms).join(', ')})`;
