/** One connection to a database that speaks PostgreSQL’s protocol, and what goes wrong with it in words. */

import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Client, CustomTypesConfig } from 'pg';
import type pgpass from 'pgpass';
import { Failure, usage } from '../../base/errors.ts';
import type { PostgresTarget } from '../target.ts';

/** How long to wait for it to answer at first, in milliseconds. */
const patience = 10_000;

/** The server wants a password, and nothing holds one. */
class NoPassword extends Error {}

/** How often a person may be wrong about it. */
const mostAsked = 3;

/**
 * Where a password is wanted and nowhere kept, the person is asked. Throws a usage failure where there is nobody to ask,
 * and where nothing that is answered is right.
 */
export async function connectTo(target: PostgresTarget): Promise<Client> {
  try {
    return await connectWith(target, target.password);
  } catch (error) {
    if (!(error instanceof NoPassword)) throw error;
    if (target.askPassword) return connectAsking(target, target.askPassword);
    throw usage(`The database ${target.called} wants a password, and none is given.`, { hint: whereToKeep });
  }
}

async function connectAsking(
  target: PostgresTarget,
  ask: (isRefused: boolean) => Promise<string>,
): Promise<Client> {
  for (let asked = 0; asked < mostAsked; asked++) {
    try {
      return await connectWith(target, await ask(asked > 0));
    } catch (error) {
      if (!(error instanceof Failure) || codeOf(error.details.cause) !== wrongPassword) throw error;
    }
  }
  throw usage(`The database ${target.called} refuses the password.`, { hint: whereToKeep });
}

const wrongPassword = '28P01';

const whereToKeep =
  'Give the password in the address of BOH_MIRROR or in PGPASSWORD, or keep it in ~/.pgpass.';

/** Nobody is asked meanwhile: the server waits for its answer no longer than some seconds. */
async function connectWith(target: PostgresTarget, password: string | undefined): Promise<Client> {
  const { default: pg } = await import('pg');
  const { host, port, database, user, isLocal, rootCertificates } = target;
  try {
    const client = new pg.Client({
      host,
      port,
      database,
      ...(user !== undefined && { user }),
      password: password ?? (() => keptPassword({ host, port, database, user: user ?? client.user })),
      ssl: isLocal ? false : { rejectUnauthorized: true, ...ownCertificates(rootCertificates) },
      application_name: 'boh',
      connectionTimeoutMillis: patience,
      keepAlive: true,
      pipeline: true,
      types: asWritten,
    });
    // A connection that is lost is told by what is asked next.
    client.on('error', () => {});
    endWith(target, client);
    try {
      await client.connect();
      await client.query("SET TIME ZONE 'UTC'");
      return client;
    } catch (error) {
      // What is half open would keep the process from its end.
      void client.end();
      throw error;
    }
  } catch (error) {
    target.signal?.throwIfAborted();
    throw error instanceof NoPassword ? error : databaseError(error, target);
  }
}

/** What is written after the signal, of what was read before, may take as long; then the process is about to end. */
const graceMs = 250;

/** A signal ends what the server does for the connection, and before there is one the attempt to get it. */
function endWith(target: PostgresTarget, client: Client): void {
  const { signal, rootCertificates } = target;
  let again: NodeJS.Timeout | undefined;
  const cancel = () => {
    const backend = client as unknown as Backend;
    if (backend.processID === null) void client.end();
    else cancelStatement(target, backend, ownCertificates(rootCertificates));
  };
  const end = () => {
    cancel();
    again = setTimeout(cancel, graceMs).unref();
  };
  signal?.addEventListener('abort', end, { once: true });
  client.once('end', () => {
    clearTimeout(again);
    signal?.removeEventListener('abort', end);
  });
}

/** Of the file that PGPASSFILE names, or `~/.pgpass`. */
async function keptPassword(place: Parameters<typeof pgpass>[0]): Promise<string> {
  const { default: read } = await import('pgpass');
  const found = await new Promise<string | undefined>((resolve) => read(place, resolve));
  if (found === undefined) throw new NoPassword();
  return found;
}

function ownCertificates(file: string | undefined): { ca?: string } {
  return file === undefined ? {} : { ca: readFileSync(file, 'utf8') };
}

/** Texts, as they come over the wire: what becomes of them is the reader’s to say. */
const asWritten: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** What it says of a statement, by its code; anything that isn’t of the database is a bug, and answered as it is. */
export function databaseError(error: unknown, { called }: Pick<PostgresTarget, 'called'>): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const isLost = /connection|timeout|terminat/i.test(error.message);
  if (code === undefined && !isLost) return error;
  return new Failure(
    'unavailable',
    `The database ${called} can’t be used: ${error.message.replace(/\.?$/, '.')}`,
    {
      hint: hintFor(code),
      cause: error,
    },
  );
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Of the network, or of the socket’s file. */
const unreached = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function hintFor(code = ''): string {
  if (code === wrongPassword) return whereToKeep;
  if (code.startsWith('28')) return 'Name a user that the server lets in: postgres://USER@HOST/DATABASE';
  if (unreached.has(code)) return 'Look that the server runs, and that the address is right.';
  if (code === '3D000') return 'Make the database first: createdb';
  if (code === '42501' || code === '25006')
    return 'Give the role the right to make tables and to write to them.';
  if (code === '53100') return 'Make room, then try again.';
  if (code.startsWith('42') || code.startsWith('23')) {
    return 'Somebody has changed its tables. Take that back, or begin anew: boh mirror reset';
  }
  return 'Nothing is lost: the next sync goes on where this one stopped.';
}

/** What a server tells a connection of itself (https://www.postgresql.org/docs/current/protocol-flow.html: "Canceling Requests in Progress"). */
interface Backend {
  processID: number | null;
  secretKey: number | null;
}

const sslRequest = words(80_877_103);
const cancelCode = 80_877_102;

/**
 * Asks the server to end the statement that it runs for the backend, which then fails. Nobody is told how that went: the
 * server itself answers nothing. It takes no password, as the backend's key stands for one.
 */
export function cancelStatement(
  { host, port, isLocal }: Pick<PostgresTarget, 'host' | 'port' | 'isLocal'>,
  { processID, secretKey }: Backend,
  trusted: Pick<ConnectionOptions, 'ca'>,
): void {
  if (processID === null || secretKey === null) return;
  const request = words(cancelCode, processID, secretKey);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // Whoever waits for the statement is told of what became of that.
  socket.on('error', () => {});
  if (isLocal) {
    socket.end(request);
    return;
  }
  socket.write(sslRequest);
  socket.once('data', (answer) => void encrypted(socket, String(answer), host, trusted, request));
}

/** The certificate is held against the host's name, as that of the connection was. */
async function encrypted(
  socket: Socket,
  answer: string,
  host: string,
  { ca }: Pick<ConnectionOptions, 'ca'>,
  request: Buffer,
): Promise<void> {
  if (answer !== 'S') return void socket.destroy();
  const { connect: secure } = await import('node:tls');
  const named = isIP(host) === 0 ? { servername: host } : {};
  const stream = secure({ socket, host, ...named, ...(ca !== undefined && { ca }) }, () =>
    stream.end(request),
  );
  stream.on('error', () => {});
}

/** A message without a type: its length in bytes, and what it holds, in 32 bits each. */
function words(...values: readonly number[]): Buffer {
  const message = Buffer.alloc(4 * (values.length + 1));
  message.writeInt32BE(message.length, 0);
  for (const [at, value] of values.entries()) message.writeInt32BE(value, 4 * (at + 1));
  return message;
}
