/** Creates certificates for tests with openssl. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Identity {
  key: string;
  cert: string;
}

export interface Certificates {
  /** The certificate of the authority that signed all certificates except `selfSigned`. */
  authority: string;
  /** The path of the file with the certificate of the authority. */
  authorityFile: string;
  valid: Identity;
  expired: Identity;
  /** A valid certificate of another host. */
  otherHost: Identity;
  selfSigned: Identity;
  remove(): void;
}

export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'boh-certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

  const createSelfSigned = (name: string, subject: string) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      subject,
      '-days',
      '2',
    );
  const createSigned = (name: string, hosts: string, days: string): Identity => {
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${hosts}\n`);
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const authorityFlags = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...authorityFlags,
      '-days',
      days,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
    return { key: read(`${name}.key`), cert: read(`${name}.pem`) };
  };

  createSelfSigned('authority', '/CN=Test authority of boh');
  createSelfSigned('self-signed', '/CN=localhost');
  return {
    authority: read('authority.pem'),
    authorityFile: join(folder, 'authority.pem'),
    valid: createSigned('valid', 'DNS:localhost,DNS:shop.example,IP:127.0.0.1', '2'),
    // The certificate expired one day before it was created.
    expired: createSigned('expired', 'DNS:localhost,IP:127.0.0.1', '-1'),
    otherHost: createSigned('elsewhere', 'DNS:elsewhere.example', '2'),
    selfSigned: { key: read('self-signed.key'), cert: read('self-signed.pem') },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}
