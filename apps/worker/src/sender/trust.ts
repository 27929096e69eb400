import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { setBounded } from '@ringback/process';

// One takes 50 KB.
const maxContexts = 500;
const contexts = new Map<string, SecureContext>();

/** The TLS settings that trust CA certificates, given in PEM, beside the public authorities. */
export function trustAlso(ca: string): SecureContext {
  const known = contexts.get(ca);
  if (known) return known;
  const context = createTrustingContext(ca);
  setBounded(contexts, ca, context, maxContexts);
  return context;
}

/**
 * With Node's public option `ca`, the certificates of all public authorities must be given and parsed again. That
 * blocks the worker for some 20 ms and takes 1 MB, so one event for a thousand webhooks that have a CA each would stop
 * all callbacks for long (docs/adr/0016-a-ca-beside-the-public-ones.md). Adding to a new context takes 1 ms.
 */
function createTrustingContext(ca: string): SecureContext {
  const context = createSecureContext();
  const internal: unknown = context.context;
  if (!canAddCa(internal)) return createSecureContext({ ca: [...rootCertificates, ca] });
  internal.addCACert(ca);
  return context;
}

const canAddCa = (internal: unknown): internal is { addCACert(pem: string): void } =>
  typeof internal === 'object' && internal !== null && typeof Reflect.get(internal, 'addCACert') === 'function';
