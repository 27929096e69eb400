import { generateKeyPairSync, sign } from 'node:crypto';

export type Certificate = { key: string; cert: string };

const dayMs = 24 * 3_600_000;

type CertificateSettings = {
  name?: string;
  days?: number;
  /** Whether it may sign others; true when absent. */
  isAuthority?: boolean;
  /** The certificate that signs this one and follows it in `cert`, and its name. */
  issuer?: Certificate & { name: string };
};

/**
 * Creates a certificate for a name and 127.0.0.1, self-signed unless there is an issuer. It expires in `days` days,
 * which may be negative.
 */
export function makeCertificate({
  name = 'localhost',
  days = 30,
  isAuthority = true,
  issuer,
}: CertificateSettings = {}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nameOf = (text: string) => sequence(tag(0x31, sequence(objectId('550403'), tag(0x0c, Buffer.from(text)))));
  const from = Math.min(Date.now(), Date.now() + days * dayMs) - dayMs;
  const names = sequence(tag(0x82, Buffer.from(name)), tag(0x87, Buffer.from([127, 0, 0, 1])));
  const authority = sequence(
    objectId('551d13'),
    tag(0x04, sequence(...(isAuthority ? [tag(0x01, Buffer.from([0xff]))] : []))),
  );
  const body = sequence(
    tag(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    nameOf(issuer?.name ?? name),
    sequence(time(from), time(Date.now() + days * dayMs)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(sequence(objectId('551d11'), tag(0x04, names)), authority)),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const certificate = sequence(body, ecdsaWithSha256, tag(0x03, Buffer.from([0]), signature));
  const cert = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n${issuer?.cert ?? ''}`;
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}

// The functions below encode the parts of DER that a certificate needs.
function tag(type: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => tag(0x30, ...parts);
const integer = (value: number) => tag(0x02, Buffer.from([value]));
const objectId = (hex: string) => tag(0x06, Buffer.from(hex, 'hex'));
const time = (at: number) => tag(0x18, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
