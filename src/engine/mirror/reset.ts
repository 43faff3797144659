/** Deletes a mirror. Throws a failure if the target isn't a mirror. */
import { existsSync } from 'node:fs';
import { Failure } from '../../base/errors.ts';
import { moveAside, removeFile } from '../../base/storage/create.ts';
import type { MirroredResource } from './schema/derive.ts';
import { dropStatements, withDatabaseFailures } from './stores/postgres.ts';
import { connectToDatabase } from './stores/postgres-connection.ts';
import { openPostgresReader } from './stores/read-postgres.ts';
import { checkMirrorFile } from './stores/sqlite-format.ts';
import type { MirrorTarget } from './target.ts';

/**
 * Deletes the mirror. Returns the new path of a damaged file, which is renamed and not deleted. Throws `not_found` if
 * there is no mirror.
 */
export async function resetMirror(
  target: MirrorTarget,
  resources: readonly MirroredResource[],
): Promise<string | undefined> {
  if (target.kind === 'sqlite') return resetFile(target.file);
  await (await openPostgresReader(target, true)).close();
  const client = await connectToDatabase(target);
  try {
    await withDatabaseFailures(target, async () => {
      for (const sql of dropStatements(resources)) await client.query(sql);
    });
  } finally {
    await client.end();
  }
  return undefined;
}

/** Throws `not_found` if there is no mirror to delete, or a storage failure if the file isn't a mirror. */
export function requireResettable(target: MirrorTarget): void {
  if (target.kind === 'sqlite') requireMirrorFile(target.file);
}

function resetFile(file: string): string | undefined {
  if (requireMirrorFile(file) === 'damaged') return moveAside(file);
  removeFile(file);
  return undefined;
}

function requireMirrorFile(file: string): ReturnType<typeof checkMirrorFile> {
  if (!existsSync(file)) throw new Failure('not_found', `Mirror not found: ${file}`);
  return checkMirrorFile(file);
}
