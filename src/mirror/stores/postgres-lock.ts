/** The lock of a mirror in a database: an advisory lock, which every machine and every user of the database sees. */
import type { Hold } from '../../storage/hold.ts';
import type { PostgresTarget } from '../target.ts';
import { codeOf, connectTo, databaseError } from './postgres-connection.ts';

/** "boh" in ASCII, and the lock of a sync: advisory locks are told apart by two numbers within a database. */
const lockKey = [0x626f68, 1];

/** Codes of engines that speak the protocol and have no advisory locks. */
const isWithoutLocks = (code: string | undefined) => code === '42883' || code === '0A000';

/**
 * Takes the lock, for as long as its connection lives. Returns `taken` where another sync has it, and `none` where the
 * engine has no such locks. Throws as every connection does.
 */
export async function lockDatabase(target: PostgresTarget): Promise<Hold | 'taken' | 'none'> {
  const client = await connectTo(target);
  const release = () => void client.end();
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS is_held', lockKey);
    if (rows[0]?.is_held === 't') return { release, clear: release };
    release();
    return 'taken';
  } catch (error) {
    release();
    if (isWithoutLocks(codeOf(error))) return 'none';
    throw databaseError(error, target);
  }
}
