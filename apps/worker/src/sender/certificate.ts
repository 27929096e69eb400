import type { ClientRequest } from 'node:http';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { Certificate } from '@ringback/rules';

/**
 * Calls `keep` with the certificate that the receiver sends on a new connection, before Node verifies it: a connection
 * whose certificate is refused no longer has one.
 */
export function watchCertificate(request: ClientRequest, keep: (certificate: PeerCertificate) => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket || !(socket instanceof TLSSocket)) return;
    // Node's own listener of this event verifies the certificate. After getPeerX509Certificate() here, Node would find
    // no names in it and refuse every certificate.
    socket.prependOnceListener('secure', () => keep(socket.getPeerCertificate()));
  });
}

const maxNames = 3;
const maxIssuerCharacters = 100;

/**
 * What the advice after a failure says of a certificate; undefined if there was none. The receiver chose its texts, so
 * they are cut and cleaned.
 */
export function readCertificate(certificate: Partial<PeerCertificate>): Certificate | undefined {
  const { subjectaltname = '', subject, issuer } = certificate;
  const [from, to] = [new Date(certificate.valid_from ?? ''), new Date(certificate.valid_to ?? '')];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return undefined;
  const alternatives = [...subjectaltname.matchAll(/(?:DNS|IP Address):([\w.*:-]{1,253})(?=, |$)/g)];
  const names = alternatives.length > 0 ? alternatives.map(([, name = '']) => name) : [textOf(subject?.CN) ?? ''];
  return {
    names: names.filter((name) => /^[\w.*:-]+$/.test(name)).slice(0, maxNames),
    issuer: textOf(issuer?.CN) ?? textOf(issuer?.O),
    validFrom: from.toISOString(),
    validTo: to.toISOString(),
  };
}

/** A part of a distinguished name, without characters that are not printed. */
function textOf(part: unknown): string | null {
  if (typeof part !== 'string') return null;
  const printed = part.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, '');
  return printed.slice(0, maxIssuerCharacters).toWellFormed() || null;
}
