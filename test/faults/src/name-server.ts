import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server that responds to queries for some names and ignores the others. */
export type NameServer = {
  /** The number of ignored queries. */
  ignored(): number;
  /** Responds to all queries from now on. */
  answerAll(): void;
  close(): void;
};

const aRecord = 1;

/**
 * Opens a name server on port 53 of an address. Every name that it responds to has the address 127.0.0.1 and no other
 * record.
 */
export async function startNameServer(address: string, isKnownName: (name: string) => boolean): Promise<NameServer> {
  const socket = createSocket('udp4');
  let isKnown = isKnownName;
  let ignored = 0;
  socket.on('message', (query, { address: from, port }) => {
    const { name, type, question } = readQuestion(query);
    if (isKnown(name)) socket.send(answer(query.subarray(0, 2), question, type === aRecord ? 1 : 0), port, from);
    else ignored++;
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return {
    ignored: () => ignored,
    answerAll: () => void (isKnown = () => true),
    close: () => void socket.close(),
  };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), question: query.subarray(12, at + 5) };
}

/** A response without an error code, as in RFC 1035: the question, and optionally one address. */
function answer(id: Buffer, question: Buffer, answers: 0 | 1): Buffer {
  const header = Buffer.from([0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0]);
  // The name of the question, type A, class IN, a TTL of 30 s, four bytes.
  const record = Buffer.from([0xc0, 0x0c, 0, aRecord, 0, 1, 0, 0, 0, 30, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat(answers === 1 ? [id, header, question, record] : [id, header, question]);
}
