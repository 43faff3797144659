/** The lock of a mirror in a database: an advisory lock, which every machine and every user of the database sees. */
import type { PostgresTarget } from '../target.ts';
import { codeOf, connectTo, databaseError } from './postgres-connection.ts';

/** A lock of a mirror; the promise ends once another sync can take it. */
export interface MirrorLock {
  release(): void | Promise<void>;
  /** The same, and nothing stays beside a file: for one that is deleted itself. */
  clear(): void | Promise<void>;
}

/** "boh" in ASCII, and the lock of a sync: advisory locks are told apart by two numbers within a database. */
const lockKey = [0x626f68, 1];

/** Codes of engines that speak the protocol and have no advisory locks. */
const isWithoutLocks = (code: string | undefined) => code === '42883' || code === '0A000';

/**
 * Takes the lock, for as long as its connection lives. Returns `taken` where another sync has it, and `none` where the
 * engine has no such locks. Throws as every connection does.
 */
export async function lockDatabase(target: PostgresTarget): Promise<MirrorLock | 'taken' | 'none'> {
  const client = await connectTo(target);
  // Unlocked first: the server may see the end of a connection after the next sync has asked.
  const release = async () => {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lockKey).catch(() => {});
    await client.end().catch(() => {});
  };
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS is_held', lockKey);
    if (rows[0]?.is_held === 't') return { release, clear: release };
    await client.end();
    return 'taken';
  } catch (error) {
    void client.end().catch(() => {});
    if (isWithoutLocks(codeOf(error))) return 'none';
    throw databaseError(error, target);
  }
}
