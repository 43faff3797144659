/** A PostgreSQL server for one test, on a private socket. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { waitLimitMs } from './wait-until.ts';

export interface Postgres {
  /** Creates a database and returns its URL for BOH_MIRROR. */
  createDatabase(name: string): Promise<string>;
  /** Runs SQL in a database. */
  query(name: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Returns the statements of boh so far in order, without values, if the server is watched. */
  statements(): string[];
  stop(): Promise<void>;
}

const programFolders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...globSync('/usr/lib/postgresql/*/bin'),
  ...globSync('/opt/homebrew/opt/postgresql*/bin'),
];

function findProgram(name: string): string | undefined {
  return programFolders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Why no server can be started; undefined if one can. */
export const noPostgres =
  findProgram('initdb') && findProgram('postgres')
    ? undefined
    : 'PostgreSQL is not installed on this machine';

/** PostgreSQL refuses to run as root: then it runs as the unprivileged user 65534. */
const unprivileged = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : {};
const owner = 'mirror';

/** Marks the beginning of a log entry. */
const entryMarker = '~~~';

interface ServerOptions {
  /** Logs statements, which is slower. */
  isWatched?: boolean;
  /** The password of all users; without one the server accepts any connection. */
  password?: string;
}

export async function startPostgres({ isWatched = false, password }: ServerOptions = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-pg-'));
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid);
  const data = join(folder, 'data');
  const options = { ...unprivileged, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' }, cwd: folder };
  const passwordFile = join(folder, 'password');
  if (password !== undefined) writeFileSync(passwordFile, password);
  const authenticationArgs =
    password === undefined ? ['trust'] : ['scram-sha-256', `--pwfile=${passwordFile}`];
  execFileSync(
    findProgram('initdb') ?? '',
    ['-D', data, '-U', owner, '-E', 'UTF8', '--locale=C', '--no-sync', '-A', ...authenticationArgs],
    { ...options, stdio: 'ignore' },
  );
  const settings = [
    ...['fsync=off', 'shared_buffers=64MB', 'listen_addresses='],
    ...(isWatched
      ? ['log_statement=all', 'log_parameter_max_length=0', `log_line_prefix=${entryMarker}%a|`]
      : []),
  ].flatMap((setting) => ['-c', setting]);
  const child = spawn(findProgram('postgres') ?? '', ['-D', data, '-k', folder, ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));

  const runSql = async (name: string, sql: string) => {
    const client = new pg.Client({ host: folder, user: owner, database: name, password });
    await client.connect();
    try {
      return (await client.query(sql)).rows ?? [];
    } finally {
      await client.end();
    }
  };
  const deadlineMs = Date.now() + waitLimitMs;
  for (;;) {
    try {
      await runSql('postgres', 'SELECT 1');
      break;
    } catch (error) {
      if (Date.now() > deadlineMs || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    async createDatabase(name) {
      await runSql('postgres', `CREATE DATABASE ${name}`);
      return `postgres://${owner}@/${name}?host=${encodeURIComponent(folder)}`;
    },
    query: runSql,
    statements: () =>
      log.split(entryMarker).flatMap((entry) => {
        const [, statement] = /^boh\|LOG: {2}(?:statement|execute [^:]*): (.*)$/s.exec(entry.trimEnd()) ?? [];
        return statement === undefined ? [] : [statement.replaceAll(/\s+/g, ' ')];
      }),
    async stop() {
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
