/** Opens a mirror, to bring it up to date or only to read it. What an engine needs is loaded where it is used. */
import { existsSync } from 'node:fs';
import { Failure } from '../../errors.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { Target } from '../target.ts';
import type { Reader, Store } from './store.ts';

export async function openStore({ file }: Target, resources: readonly Mirrored[]): Promise<Store> {
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(file, resources);
}

/** Throws `not_found` where there is none yet. */
export async function openExisting(target: Target, resources: readonly Mirrored[]): Promise<Store> {
  demandExisting(target);
  return openStore(target, resources);
}

/** Throws `not_found` where there is none yet. */
export async function openReader(target: Target): Promise<Reader> {
  const { file } = target;
  demandExisting(target);
  const { readSqlite } = await import('./read-sqlite.ts');
  return readSqlite(file);
}

function demandExisting({ file }: Target): void {
  if (existsSync(file)) return;
  throw new Failure('not_found', `There is no mirror ${file} yet.`, { hint: 'Make it: boh mirror sync' });
}
