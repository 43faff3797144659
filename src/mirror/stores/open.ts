/** Opens a mirror for writing or reading. */

import { existsSync } from 'node:fs';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type Parameters, ReadOnlyDatabase } from '../../storage/read-only.ts';
import type { MirroredResource } from '../schema/derive.ts';
import type { MirrorTarget } from '../target.ts';
import { openPostgres } from './postgres.ts';
import { queryInThread } from './query-in-thread.ts';
import { openPostgresReader } from './read-postgres.ts';
import { openSqlite } from './sqlite.ts';
import { readerFormat } from './sqlite-format.ts';
import type { Reader, Store } from './store.ts';

/** Opens a mirror for writing; creates it if it doesn't exist, and updates its tables. */
export async function openStore(
  target: MirrorTarget,
  resources: readonly MirroredResource[],
): Promise<Store> {
  if (target.kind === 'postgres') return openPostgres(target, resources);
  return openSqlite(target.file, resources);
}

/** Opens an existing mirror for writing. Throws `not_found` if there is none. */
export async function openExistingStore(
  target: MirrorTarget,
  resources: readonly MirroredResource[],
): Promise<Store> {
  const reader = await openReader(target);
  await reader.close();
  return openStore(target, resources);
}

/** Opens a mirror like `openReader`, runs the work, and closes the mirror. */
export async function withReader<Value>(
  target: MirrorTarget,
  work: (reader: Reader) => Promise<Value>,
): Promise<Value> {
  const reader = await openReader(target);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

/**
 * Opens a mirror for reading. Throws `not_found` if there is none. With `allowsAnyVersion`, only tables that every version
 * has can be read.
 */
export async function openReader(target: MirrorTarget, { allowsAnyVersion = false } = {}): Promise<Reader> {
  if (target.kind === 'postgres') return openPostgresReader(target, allowsAnyVersion);
  const { file } = target;
  if (!existsSync(file)) {
    throw new Failure('not_found', `Mirror not found: ${file}`, {
      hint: boh.hint`To create it: ${boh.mirror('mirror sync')}`,
    });
  }
  const format = readerFormat(file);
  const database = new ReadOnlyDatabase(allowsAnyVersion ? { ...format, version: undefined } : format);
  return {
    label: file,
    dialect: 'sqlite',
    read: async (query) => database.all(query.textFor('sqlite'), query.values),
    beginSnapshot: async () => database.beginSnapshot(),
    rows: async (sql: string, parameters: Parameters) => queryInThread({ file, sql, parameters }),
    close: async () => database.close(),
  };
}
