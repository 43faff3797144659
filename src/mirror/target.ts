/** Where a mirror is kept, as people write it: `sqlite:FILE`, or `postgres://USER@HOST/DATABASE`. */
import { type Failure, usage } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

export type Target = SqliteTarget | PostgresTarget;

export interface SqliteTarget {
  kind: 'sqlite';
  file: string;
  /** For messages. */
  called: string;
}

export interface PostgresTarget {
  kind: 'postgres';
  /** A name, an address, or the folder of a socket. */
  host: string;
  port: number;
  database: string;
  user: string | undefined;
  /** Else that of the file that PGPASSFILE names, or `~/.pgpass`. */
  password: string | undefined;
  /**
   * Where the server wants a password and none is kept: of the person at the terminal, who is asked once, and again where
   * what was answered before is refused.
   */
  askPassword?: ((isRefused: boolean) => Promise<string>) | undefined;
  /** Whether it is this machine: else the connection is encrypted, and the certificate held against the host’s name. */
  isLocal: boolean;
  /** A file with the certificates to trust, in place of those of the system. */
  rootCertificates: string | undefined;
  /** Ends what the server is at work on. */
  signal?: AbortSignal | undefined;
  /** For messages: without the password. */
  called: string;
}

/**
 * `said` is where it stands: `--to`, which everybody on the machine can read, or `BOH_MIRROR`. Throws a usage failure;
 * what it holds is not repeated in that.
 */
export function readTarget(text: string, said: string): Target {
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  // SQLite’s own name for what is gone with the process.
  if (file === ':memory:') throw wrong(said, 'is memory, of which nothing is left once the command is done');
  if (file !== undefined) return { kind: 'sqlite', file, called: file };
  if (/^postgres(ql)?:\/\//.test(text)) return readAddress(text, said);
  throw wrong(said, 'is no place for a mirror');
}

const knownParameters = ['host', 'sslmode', 'sslrootcert'];

function readAddress(address: string, said: string): PostgresTarget {
  // Where no host is named, a socket is, or it is this machine: addresses of other kinds always have one.
  const text = address.replace(/^(\w+:\/\/(?:[^/?]*@)?)(?=[/?]|$)/, '$1localhost');
  if (!URL.canParse(text)) throw wrong(said, 'is no address of a database');
  const { hostname, port, pathname, username, password, searchParams } = new URL(text);
  if (password !== '' && said === '--to') {
    throw usage('A password doesn’t go on the command line, where everybody on the machine can read it.', {
      hint: 'Set BOH_MIRROR to the address with it, or keep it in ~/.pgpass.',
    });
  }
  const others = [...searchParams.keys()].filter((name) => !knownParameters.includes(name));
  if (others.length > 0) throw wrong(said, `has a parameter that boh doesn’t know: ${others.join(', ')}`);
  const host = decoded(searchParams.get('host') ?? hostname.replace(/^\[(.*)\]$/, '$1'), said) || 'localhost';
  const database = decoded(pathname.slice(1), said);
  if (database === '') throw wrong(said, 'names no database');
  const isLocal = host.startsWith('/') || isLoopback(host) || host === '::1';
  const mode = searchParams.get('sslmode');
  if (mode !== null && mode !== 'verify-full' && !isLocal) {
    throw wrong(said, `asks for sslmode=${mode}, which lets anybody answer: only verify-full is used`);
  }
  const user = username === '' ? undefined : decoded(username, said);
  const at = host.startsWith('/') ? '' : `${host}${port === '' ? '' : `:${port}`}`;
  return {
    kind: 'postgres',
    host,
    port: port === '' ? 5432 : Number(port),
    database,
    user,
    password: password === '' ? undefined : decoded(password, said),
    isLocal,
    rootCertificates: searchParams.get('sslrootcert') ?? undefined,
    called: `postgres://${user === undefined ? '' : `${user}@`}${at}/${database}`,
  };
}

function decoded(text: string, said: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(said, 'is no address of a database');
  }
}

function wrong(said: string, what: string): Failure {
  const before = said === 'BOH_MIRROR' ? 'BOH_MIRROR=' : `${said} `;
  return usage(`${said} ${what}.`, {
    hint: `Name a file or a database: ${before}sqlite:mirror.sqlite, or ${before}postgres://USER@HOST/DATABASE`,
  });
}
