import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Answers for some names and is silent about the others. */
export type NameServer = {
  /** How many queries came about names that it is silent about. */
  unanswered(): number;
  /** Answers for all names from now on. */
  answerAll(): void;
  close(): void;
};

const aRecord = 1;

/** A name server on port 53 of an address: every name that it answers for is 127.0.0.1. */
export async function openNameServer(address: string, answersFor: (name: string) => boolean): Promise<NameServer> {
  const socket = createSocket('udp4');
  let isChosen = answersFor;
  let unanswered = 0;
  socket.on('message', (query, { address: from, port }) => {
    const { name, type, question } = readQuestion(query);
    if (isChosen(name)) socket.send(answer(query.subarray(0, 2), question, type === aRecord ? 1 : 0), port, from);
    else unanswered++;
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return {
    unanswered: () => unanswered,
    answerAll: () => void (isChosen = () => true),
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

/** RFC 1035: a response without error that repeats the question, with or without the one address. */
function answer(id: Buffer, question: Buffer, answers: 0 | 1): Buffer {
  const header = Buffer.from([0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0]);
  // The name of the question, type A, class IN, 30 s, four bytes.
  const record = Buffer.from([0xc0, 0x0c, 0, aRecord, 0, 1, 0, 0, 0, 30, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat(answers === 1 ? [id, header, question, record] : [id, header, question]);
}
