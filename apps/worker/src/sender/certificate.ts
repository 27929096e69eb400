import type { X509Certificate } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Certificate } from '@ringback/rules';

/**
 * Calls `keep` with the certificate that the receiver sends on a new connection, before Node verifies it: a connection
 * whose certificate is refused no longer has one.
 */
export function watchCertificate(request: ClientRequest, keep: (certificate: X509Certificate) => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket || !(socket instanceof TLSSocket)) return;
    // Node's own listener of this event verifies the certificate.
    socket.prependOnceListener('secure', () => {
      const certificate = socket.getPeerX509Certificate();
      if (certificate) keep(certificate);
    });
  });
}

const maxNames = 3;
const maxIssuerCharacters = 100;

/** What the advice after a failure says of a certificate. The receiver chose its texts, so they are cut and cleaned. */
export function readCertificate({
  subjectAltName,
  subject,
  issuer,
  validFrom,
  validTo,
}: X509Certificate): Certificate | undefined {
  const alternatives = [...(subjectAltName ?? '').matchAll(/(?:DNS|IP Address):([\w.*:-]{1,253})(?=, |$)/g)];
  const names = alternatives.length > 0 ? alternatives.map(([, name = '']) => name) : [partOf(subject, 'CN') ?? ''];
  const [from, to] = [new Date(validFrom), new Date(validTo)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return undefined;
  return {
    names: names.filter((name) => /^[\w.*:-]+$/.test(name)).slice(0, maxNames),
    issuer: partOf(issuer, 'CN') ?? partOf(issuer, 'O'),
    validFrom: from.toISOString(),
    validTo: to.toISOString(),
  };
}

/** A part of a distinguished name, which has one in each line. */
function partOf(name: string, key: string): string | null {
  const line = name.split('\n').find((text) => text.startsWith(`${key}=`));
  const text = line
    ?.slice(key.length + 1)
    .replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, '')
    .slice(0, maxIssuerCharacters)
    .toWellFormed();
  return text ? text : null;
}
