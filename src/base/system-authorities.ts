/**
 * Trusts the certificate authorities of the system and of SSL_CERT_FILE, like other programs, in addition to those of
 * Node.js and NODE_EXTRA_CA_CERTS. Loading them takes about 80 ms, so it waits for a server that needs them.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readBoundedFileSync } from './bounded-read.ts';
import { usage } from './errors.ts';

/** The codes of Node for a certificate whose authority it doesn't know. */
const unknownAuthorityCodes: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Returns whether a connection failed because the authority of the server's certificate is unknown. */
export function hasUnknownAuthority(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && unknownAuthorityCodes.has(error.code)) || hasUnknownAuthority(error.cause);
}

/**
 * Calls `connect`. If it fails with an unknown authority, so before anything is sent, calls it again with the
 * authorities of the system. Throws a usage failure if SSL_CERT_FILE can't be read.
 */
export async function withSystemAuthorities<Value>(connect: () => Promise<Value>): Promise<Value> {
  try {
    return await connect();
  } catch (error) {
    if (!hasUnknownAuthority(error)) throw error;
    const known = new Set(getCACertificates('default'));
    const added = [...getCACertificates('system'), ...fileAuthorities()].filter((one) => !known.has(one));
    if (added.length === 0) throw error;
    setDefaultCACertificates([...known, ...added]);
    return connect();
  }
}

/** Reads the certificates of the PEM file in SSL_CERT_FILE, as OpenSSL does on every system. */
function fileAuthorities(): string[] {
  const file = process.env.SSL_CERT_FILE ?? '';
  if (file === '') return [];
  try {
    const text = readBoundedFileSync(file).toString('latin1');
    return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  } catch (error) {
    throw usage(
      `The file in SSL_CERT_FILE can't be read: ${error instanceof Error ? error.message : error}.`,
      {
        hint: 'Set it to a file with certificates of authorities, or unset it.',
      },
    );
  }
}
