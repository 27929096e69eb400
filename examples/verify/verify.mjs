// Verifies a callback by `Signature` and `Authorization`, with nothing to install.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** `rawBody`: the bytes as received. `headers`: with lower-case names, as Node has them. */
export function isGenuine(rawBody, headers, { webhookId, bearer }) {
  const isSame = (given = '', expected) => {
    const [a, b] = [Buffer.from(given), Buffer.from(expected)];
    return a.length === b.length && timingSafeEqual(a, b);
  };
  const signature = createHmac('sha256', webhookId).update(rawBody).digest('hex');
  return isSame(headers.authorization, `Bearer ${bearer}`) && isSame(headers.signature, signature);
}

// As a program: the body on stdin, the two headers as arguments, WEBHOOK_ID and BEARER in the environment.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , authorization, signature] = process.argv;
  const { WEBHOOK_ID: webhookId = '', BEARER: bearer = '' } = process.env;
  const genuine = isGenuine(await text(process.stdin), { authorization, signature }, { webhookId, bearer });
  console.log(genuine ? 'genuine' : 'not genuine');
  process.exitCode = genuine ? 0 : 1;
}
