/** Opens a mirror, to bring it up to date or only to read it. What an engine needs is loaded where it is used. */
import { existsSync } from 'node:fs';
import { Failure } from '../../base/errors.ts';
import type { Mirrored } from '../schema/derive.ts';
import { schemaVersion } from '../schema/state.ts';
import type { Target } from '../target.ts';
import type { Reader, Store } from './store.ts';

export async function openStore(target: Target, resources: readonly Mirrored[]): Promise<Store> {
  if (target.kind === 'postgres') {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(target, resources);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(target.file, resources);
}

/** Throws `not_found` where there is none yet. */
export async function openExisting(target: Target, resources: readonly Mirrored[]): Promise<Store> {
  const reader = await openReader(target, resources);
  await reader.close();
  return openStore(target, resources);
}

/**
 * `resources` are all of the contract. Throws `not_found` where there is none yet, and `unavailable` where an earlier boh
 * has made it and its tables say something else to queries.
 */
export function openReader(target: Target, resources: readonly Mirrored[]): Promise<Reader> {
  return openUpTo(schemaVersion(resources), target, { isEarlierFormRead: false });
}

/** The same of whatever version, for what stands in all of them. */
export function openReaderOfAny(target: Target): Promise<Reader> {
  return openUpTo(Number.MAX_SAFE_INTEGER, target, { isEarlierFormRead: true });
}

async function openUpTo(
  version: number,
  target: Target,
  how: { isEarlierFormRead: boolean },
): Promise<Reader> {
  if (target.kind === 'postgres') {
    const { readPostgres } = await import('./read-postgres.ts');
    return readPostgres(target, version);
  }
  const { file } = target;
  if (!existsSync(file)) {
    throw new Failure('not_found', `There is no mirror ${file} yet.`, { hint: 'Make it: boh mirror sync' });
  }
  const { readSqlite } = await import('./read-sqlite.ts');
  return readSqlite(file, version, how);
}
