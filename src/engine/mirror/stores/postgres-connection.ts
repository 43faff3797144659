/** Opens a connection to a database that supports PostgreSQL's protocol, and converts its errors to failures. */

import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Client, CustomTypesConfig } from 'pg';
import pgpass from 'pgpass';
import { readBoundedFileSync } from '../../../base/bounded-read.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { withSystemAuthorities } from '../../../base/system-authorities.ts';
import type { PostgresTarget } from '../target.ts';

/** The maximum time to wait for a connection, in milliseconds. */
const connectTimeoutMs = 10_000;

/** Thrown if the server requires a password and none is stored. */
class PasswordRequired extends Error {}

/** The number of times that the user may enter a password. */
const maxPasswordAttempts = 3;

/**
 * Connects to the database. If it requires a password and none is stored, the user is asked. Throws a usage failure
 * without a terminal, or if every entered password is wrong.
 */
export async function connectToDatabase(target: PostgresTarget): Promise<Client> {
  try {
    return await withSystemAuthorities(() => connectWithPassword(target, target.password));
  } catch (error) {
    if (!(error instanceof PasswordRequired)) throw error;
    if (target.askPassword) return connectWithPrompt(target, target.askPassword);
    throw usage(`The database ${target.label} requires a password.`, {
      hint: passwordHint,
    });
  }
}

async function connectWithPrompt(
  target: PostgresTarget,
  askPassword: (isRefused: boolean) => Promise<string>,
): Promise<Client> {
  for (let attempt = 0; attempt < maxPasswordAttempts; attempt++) {
    try {
      return await connectWithPassword(target, await askPassword(attempt > 0));
    } catch (error) {
      if (!(error instanceof Failure) || errorCodeOf(error.details.cause) !== wrongPassword) throw error;
    }
  }
  throw usage(`The database ${target.label} rejected the password.`, { hint: passwordHint });
}

const wrongPassword = '28P01';

const passwordHint = 'Put the password in the URL of BOH_MIRROR, in PGPASSWORD or in ~/.pgpass.';

/** Connects without asking the user: the server waits only a few seconds for the password. */
async function connectWithPassword(target: PostgresTarget, password: string | undefined): Promise<Client> {
  const { default: pg } = await import('pg');
  const { host, port, database, user, isLocal, rootCertificates } = target;
  try {
    const client = new pg.Client({
      host,
      port,
      database,
      ...(user !== undefined && { user }),
      password: password ?? (() => readPasswordFile({ host, port, database, user: user ?? client.user })),
      ssl: isLocal ? false : { rejectUnauthorized: true, ...trustedCertificates(rootCertificates) },
      application_name: 'boh',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      pipeline: true,
      types: rawTextTypes,
    });
    // The next query reports a lost connection.
    client.on('error', () => {});
    endOnSignal(target, client);
    try {
      await client.connect();
      await client.query("SET TIME ZONE 'UTC'");
      return client;
    } catch (error) {
      // A half-open connection would keep the process running.
      void client.end();
      throw error;
    }
  } catch (error) {
    target.signal?.throwIfAborted();
    throw error instanceof PasswordRequired ? error : databaseError(error, target);
  }
}

/**
 * The time for writing rows that were already read after a signal, in milliseconds. Then the process exits.
 */
const graceMs = 250;

/** Ends the server's work on a signal: cancels the statement, or the attempt to connect. */
function endOnSignal(target: PostgresTarget, client: Client): void {
  const { signal, rootCertificates } = target;
  let retryTimer: NodeJS.Timeout | undefined;
  const cancel = () => {
    const backend = client as unknown as Backend;
    if (backend.processID === null) void client.end();
    else cancelStatement(target, backend, trustedCertificates(rootCertificates));
  };
  const cancelTwice = () => {
    cancel();
    retryTimer = setTimeout(cancel, graceMs).unref();
  };
  signal?.addEventListener('abort', cancelTwice, { once: true });
  client.once('end', () => {
    clearTimeout(retryTimer);
    signal?.removeEventListener('abort', cancelTwice);
  });
}

/** Reads the password file that PGPASSFILE names, or `~/.pgpass`. */
async function readPasswordFile(connection: Parameters<typeof pgpass>[0]): Promise<string> {
  const password = await new Promise<string | undefined>((resolve) => pgpass(connection, resolve));
  if (password === undefined) throw new PasswordRequired();
  return password;
}

function trustedCertificates(file: string | undefined): { ca?: string } {
  return file === undefined ? {} : { ca: readBoundedFileSync(file).toString() };
}

/** Leaves values as text: `toCell` converts them. */
const rawTextTypes: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/**
 * Returns the failure for a database error, by its code. An error that doesn't come from the database is a bug and is
 * returned unchanged.
 */
export function databaseError(error: unknown, { label }: Pick<PostgresTarget, 'label'>): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = errorCodeOf(error);
  const isConnectionLost = /connection|timeout|terminat/i.test(error.message);
  if (code === undefined && !isConnectionLost) return error;
  return new Failure(
    'unavailable',
    `The database ${label} can't be used: ${error.message.replace(/\.?$/, '.')}`,
    {
      hint: hintFor(code),
      cause: error,
    },
  );
}

/** Returns the code of an error: an SQLSTATE such as `28P01`, or a network error such as `ECONNREFUSED`. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The error codes of an unreachable server or a missing socket. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function hintFor(code = ''): Hint {
  if (code === wrongPassword) return passwordHint;
  if (code.startsWith('28')) return 'Use a user that the server accepts: postgres://USER@HOST/DATABASE';
  if (unreachableCodes.has(code)) return 'Check that the server is running and that the URL is correct.';
  if (code === '3D000') return 'Create the database first: createdb';
  if (code === '42501' || code === '25006')
    return 'Grant the role the privileges to create tables and write to them.';
  if (code === '53100') return 'Free disk space on the server, then try again.';
  if (code.startsWith('42') || code.startsWith('23')) {
    return boh.hint`Another program changed its tables. Revert that, or start over: ${boh.mirror('mirror reset')}`;
  }
  return 'The next sync continues where this one stopped.';
}

/**
 * The server process that serves a connection, as the server identifies it
 * (https://www.postgresql.org/docs/current/protocol-flow.html: "Canceling Requests in Progress").
 */
interface Backend {
  processID: number | null;
  secretKey: number | null;
}

const sslRequest = int32Message(80_877_103);
const cancelCode = 80_877_102;

/**
 * Asks the server to cancel the statement that the backend is running; that statement then fails. The server doesn't
 * respond, so there is no result. The backend's key is used instead of a password.
 */
export function cancelStatement(
  { host, port, isLocal }: Pick<PostgresTarget, 'host' | 'port' | 'isLocal'>,
  { processID, secretKey }: Backend,
  tlsOptions: Pick<ConnectionOptions, 'ca'>,
): void {
  if (processID === null || secretKey === null) return;
  const request = int32Message(cancelCode, processID, secretKey);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // The canceled statement reports the outcome.
  socket.on('error', () => {});
  if (isLocal) {
    socket.end(request);
    return;
  }
  socket.write(sslRequest);
  socket.once('data', (response) => sendEncrypted(socket, String(response), host, tlsOptions, request));
}

/** Sends the request encrypted. The certificate must match the host name, as for the connection itself. */
function sendEncrypted(
  socket: Socket,
  response: string,
  host: string,
  { ca }: Pick<ConnectionOptions, 'ca'>,
  request: Buffer,
): void {
  if (response !== 'S') return void socket.destroy();
  const serverName = isIP(host) === 0 ? { servername: host } : {};
  const stream = connectTls({ socket, host, ...serverName, ...(ca !== undefined && { ca }) }, () =>
    stream.end(request),
  );
  stream.on('error', () => {});
}

/** Builds a message without a type: its length in bytes, then the values, 32 bits each. */
function int32Message(...values: readonly number[]): Buffer {
  const message = Buffer.alloc(4 * (values.length + 1));
  message.writeInt32BE(message.length, 0);
  for (const [index, value] of values.entries()) message.writeInt32BE(value, 4 * (index + 1));
  return message;
}
