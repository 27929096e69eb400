import { X509Certificate } from 'node:crypto';
import { hasAtMostCharacters, isStorable } from './json.js';

const maxLength = 16_384;
const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/**
 * Validates the CA certificates, in PEM, that a webhook's receiver is trusted by. There may be several, such as the old
 * one and the new one. Returns the messages of its errors, of which there is at most one.
 */
export function checkTrustedCa(pem: string, now: Date): string[] {
  if (!hasAtMostCharacters(pem, maxLength))
    return [`The tls.ca field must not be greater than ${maxLength} characters.`];
  if (!isStorable(pem)) return ['The tls.ca field holds a character that is not allowed.'];
  const blocks = [...pem.matchAll(block)];
  const labels = blocks.map(([, label]) => label);
  if (/PRIVATE KEY-----/.test(pem)) return ['The tls.ca field must not have a private key. Keep it secret.'];
  const isWhole = blocks.length === (pem.match(/-----BEGIN /g)?.length ?? 0);
  if (blocks.length === 0 || !isWhole || labels.some((label) => label !== 'CERTIFICATE')) {
    return ['The tls.ca field must be a certificate in PEM: -----BEGIN CERTIFICATE----- … -----END CERTIFICATE-----.'];
  }
  const errors = blocks.map(([text]) => certificateErrorOf(text, now));
  return errors.filter((error) => error !== null).slice(0, 1);
}

function certificateErrorOf(pem: string, now: Date): string | null {
  const certificate = readCertificate(pem);
  if (certificate === null) return 'The tls.ca field has a certificate that cannot be read: it is damaged.';
  if (!certificate.ca) {
    return 'The tls.ca field has a certificate that is no CA certificate. Give the one that signed it.';
  }
  const expiresAt = new Date(certificate.validTo);
  return expiresAt < now
    ? `The tls.ca field has a CA certificate that expired on ${expiresAt.toISOString().slice(0, 10)}.`
    : null;
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
