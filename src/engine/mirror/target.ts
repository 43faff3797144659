/** Parses the location of a mirror: `sqlite:FILE` or `postgres://USER@HOST/DATABASE`. */
import { type Failure, usage } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';

export type MirrorTarget = SqliteTarget | PostgresTarget;

/** A mirror in a SQLite file. */
export interface SqliteTarget {
  kind: 'sqlite';
  file: string;
  /** The name of the mirror in messages: the file. */
  label: string;
}

/** A mirror in a database that speaks PostgreSQL's protocol. */
export interface PostgresTarget {
  kind: 'postgres';
  /** A host name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  database: string;
  user: string | undefined;
  /** The password; undefined to use the password file: the one that PGPASSFILE names, or `~/.pgpass`. */
  password: string | undefined;
  /**
   * Asks the user for a password when the server requires one and none is stored. `isRefused` is true if the previous
   * password was wrong.
   */
  askPassword?: ((isRefused: boolean) => Promise<string>) | undefined;
  /**
   * Whether the server runs on this machine. Otherwise the connection is encrypted, and the certificate must match
   * the host name.
   */
  isLocal: boolean;
  /** A file with the trusted certificates, used instead of the system's. */
  rootCertificates: string | undefined;
  /** A signal; aborting it cancels the statement that the server is running. */
  signal?: AbortSignal | undefined;
  /** The name of the mirror in messages: the URL without the password. */
  label: string;
}

/**
 * Parses a location. `origin` is the source of the text: `--to`, which other users of the machine can read, or
 * `BOH_MIRROR`. Throws a usage failure, which doesn't contain the text because it may contain a password.
 */
export function parseMirrorTarget(text: string, origin: string): MirrorTarget {
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  // SQLite uses this name for an in-memory database.
  if (file === ':memory:')
    throw invalidTarget(origin, 'is an in-memory database, which is lost when the command ends');
  if (file !== undefined) return { kind: 'sqlite', file, label: file };
  if (/^postgres(ql)?:\/\//.test(text)) return parsePostgresUrl(text, origin);
  throw invalidTarget(origin, "isn't a SQLite path or a PostgreSQL URL");
}

const supportedParameters = ['host', 'sslmode', 'sslrootcert'];

function parsePostgresUrl(url: string, origin: string): PostgresTarget {
  // A URL without a host means a socket or this machine, but URL parsing requires a host.
  const urlWithHost = url.replace(/^(\w+:\/\/(?:[^/?]*@)?)(?=[/?]|$)/, '$1localhost');
  if (!URL.canParse(urlWithHost)) throw invalidTarget(origin, "isn't a valid PostgreSQL URL");
  const { hostname, port, pathname, username, password, searchParams } = new URL(urlWithHost);
  if (password !== '' && origin === '--to') {
    throw usage(
      "A password can't be given on the command line, where other users of the machine can read it.",
      {
        hint: 'Set BOH_MIRROR to the URL with the password, or keep the password in ~/.pgpass.',
      },
    );
  }
  const unknownParameters = [...searchParams.keys()].filter((name) => !supportedParameters.includes(name));
  if (unknownParameters.length > 0)
    throw invalidTarget(origin, `has an unknown parameter: ${unknownParameters.join(', ')}`);
  const host =
    decode(searchParams.get('host') ?? hostname.replace(/^\[(.*)\]$/, '$1'), origin) || 'localhost';
  const database = decode(pathname.slice(1), origin);
  if (database === '') throw invalidTarget(origin, "doesn't name a database");
  const isLocal = host.startsWith('/') || isLoopback(host) || host === '::1';
  const mode = searchParams.get('sslmode');
  if (mode !== null && mode !== 'verify-full' && !isLocal) {
    throw invalidTarget(origin, `has sslmode=${mode}, but only verify-full is supported`);
  }
  const user = username === '' ? undefined : decode(username, origin);
  const server = host.startsWith('/') ? '' : `${host}${port === '' ? '' : `:${port}`}`;
  return {
    kind: 'postgres',
    host,
    port: port === '' ? 5432 : Number(port),
    database,
    user,
    password: password === '' ? undefined : decode(password, origin),
    isLocal,
    rootCertificates: searchParams.get('sslrootcert') ?? undefined,
    label: `postgres://${user === undefined ? '' : `${user}@`}${server}/${database}`,
  };
}

function decode(text: string, origin: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidTarget(origin, "isn't a valid PostgreSQL URL");
  }
}

function invalidTarget(origin: string, problem: string): Failure {
  const prefix = origin === 'BOH_MIRROR' ? 'BOH_MIRROR=' : `${origin} `;
  return usage(`${origin} ${problem}.`, {
    hint: `Use a file or a database: ${prefix}sqlite:mirror.sqlite, or ${prefix}postgres://USER@HOST/DATABASE`,
  });
}
