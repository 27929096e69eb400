import { describe, expect, test } from '@jest/globals';
import { createSource } from './bridge.js';
import { parseKafkaUrl } from '../bridge/kafka.js';

const nameOfSource = (options: Partial<Parameters<typeof createSource>[0]>, env = {}) =>
  createSource({ group: 'ringback', ...options }, env).name;

describe('the options of ringback bridge', () => {
  test('choose the broker', () => {
    expect(nameOfSource({ from: 'amqps://u:p@host/vhost', queue: 'dlr' })).toBe('queue dlr of RabbitMQ');
    expect(nameOfSource({ from: 'kafka://a:9092,b:9092', topic: 'dlr' })).toBe('topic dlr of Kafka');
    expect(nameOfSource({ queue: 'dlr' }, { BRIDGE_URL: 'amqp://host' })).toBe('queue dlr of RabbitMQ');
  });

  test.each([
    [{}, '--from or BRIDGE_URL is required'],
    [{ from: 'redis://host', queue: 'dlr' }, '--from must look like amqp://'],
    [{ from: 'amqp://host' }, '--queue is required for RabbitMQ'],
    [{ from: 'amqp://host', queue: 'dlr', topic: 'dlr' }, '--topic is for Kafka; RabbitMQ needs --queue'],
    [{ from: 'kafka://host' }, '--topic is required for Kafka'],
    [{ from: 'kafka://host', queue: 'dlr' }, '--queue is for RabbitMQ; Kafka needs --topic'],
  ])('%j: %s', (options, message) => {
    expect(() => nameOfSource(options)).toThrow(message);
  });

  test('BRIDGE_URL is named when it is wrong, and not repeated', () => {
    expect(() => nameOfSource({ queue: 'dlr' }, { BRIDGE_URL: 'http://u:secret@host' })).toThrow(
      /^BRIDGE_URL must look like amqp/,
    );
    expect(() => nameOfSource({ from: 'http://u:secret@host' })).toThrow(/^(?!.*secret)/);
  });
});

describe('the URL of Kafka', () => {
  test('has one or several brokers, the port 9092 when absent', () => {
    expect(parseKafkaUrl('kafka://a,b:1/')).toEqual({ bootstrapBrokers: ['a:9092', 'b:1'] });
  });

  test('may have TLS and credentials, percent-encoded', () => {
    expect(parseKafkaUrl('kafka+ssl://user:p%40ss:word@a:9093')).toEqual({
      bootstrapBrokers: ['a:9093'],
      tls: {},
      tlsServerName: true,
      sasl: { mechanism: 'PLAIN', username: 'user', password: 'p@ss:word' },
    });
    expect(parseKafkaUrl('kafka+ssl://a,127.0.0.1:9093').tlsServerName).toBe(false);
    const { sasl } = parseKafkaUrl('kafka://u:p@a?sasl=scram-sha-512');
    expect(sasl).toEqual({ mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p' });
  });

  test.each(['kafka://', 'kafka://u@a', 'kafka://u:%@a', 'kafka://a/topic', 'kafka://u:p@a?sasl=md5', 'kafka://a?x=1'])(
    '%s is refused',
    (url) => {
      expect(() => parseKafkaUrl(url)).toThrow('the URL of Kafka must look like');
    },
  );
});
