import { findFreePort } from '@ringback/embedded';

/** The files of a key and its self-signed certificate. */
export type TlsFiles = { key: string; cert: string };

/** Chooses a port for TLS and returns the redis-server settings that add TLS on it. */
export async function prepareTls({ key, cert }: TlsFiles): Promise<{ port: number; settings: Record<string, string> }> {
  const port = await findFreePort();
  const files = { 'tls-key-file': key, 'tls-cert-file': cert, 'tls-ca-cert-file': cert };
  return { port, settings: { ...files, 'tls-port': String(port), 'tls-auth-clients': 'no' } };
}
