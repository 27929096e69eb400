import { findFreePort } from '@ringback/embedded';

/** Files of a key and of its self-signed certificate. */
export type TlsFiles = { key: string; cert: string };

/** The settings of a redis-server that speaks TLS on a port of its own, too. */
export async function prepareTls({ key, cert }: TlsFiles): Promise<{ port: number; settings: Record<string, string> }> {
  const port = await findFreePort();
  const files = { 'tls-key-file': key, 'tls-cert-file': cert, 'tls-ca-cert-file': cert };
  return { port, settings: { ...files, 'tls-port': String(port), 'tls-auth-clients': 'no' } };
}
