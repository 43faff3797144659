/** One connection to a database that speaks PostgreSQL’s protocol, and what goes wrong with it in words. */
import { readFileSync } from 'node:fs';
import type { Client, CustomTypesConfig } from 'pg';
import { Failure } from '../../errors.ts';
import type { PostgresTarget } from '../target.ts';

/** How long to wait for it to answer at first, in milliseconds. */
const patience = 10_000;

export async function connectTo(target: PostgresTarget): Promise<Client> {
  const { default: pg } = await import('pg');
  const { host, port, database, user, password, isLocal, rootCertificates } = target;
  try {
    const client = new pg.Client({
      host,
      port,
      database,
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      ssl: isLocal ? false : { rejectUnauthorized: true, ...ownCertificates(rootCertificates) },
      application_name: 'boh',
      connectionTimeoutMillis: patience,
      keepAlive: true,
      pipeline: true,
      types: asWritten,
    });
    // A connection that is lost is told by what is asked next.
    client.on('error', () => {});
    await client.connect();
    await client.query("SET TIME ZONE 'UTC'");
    return client;
  } catch (error) {
    throw databaseError(error, target);
  }
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

function hintFor(code = ''): string {
  if (code.startsWith('28'))
    return 'Give the password in the address of BOH_MIRROR, or keep it in ~/.pgpass.';
  if (code === '3D000') return 'Make the database first: createdb';
  if (code === '42501' || code === '25006')
    return 'Give the role the right to make tables and to write to them.';
  if (code === '53100') return 'Nothing was changed. Make room, then try again.';
  if (code.startsWith('42') || code.startsWith('23')) {
    return 'Somebody has changed its tables. Take that back, or begin anew: boh mirror reset';
  }
  return 'Nothing is lost: the next sync goes on where this one stopped.';
}
