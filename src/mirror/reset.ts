/** Takes a mirror away. What isn’t one is left alone. */
import { existsSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { removeFile, setAside } from '../storage/create.ts';
import { StorageFailure } from '../storage/failures.ts';
import { ReadOnly } from '../storage/read-only.ts';
import type { Mirrored } from './schema/derive.ts';
import { applicationId, namingOfMirror } from './stores/sqlite-form.ts';
import type { Target } from './target.ts';

/** Answers where a file is now that can’t be read as what it is. Throws `not_found` where there is none. */
export async function resetMirror(
  target: Target,
  resources: readonly Mirrored[],
): Promise<string | undefined> {
  if (target.kind === 'sqlite') return resetFile(target.file);
  const { readPostgres } = await import('./stores/read-postgres.ts');
  await (await readPostgres(target, Number.MAX_SAFE_INTEGER)).close();
  const [{ connectTo }, { takingAway }, { telling }] = await Promise.all([
    import('./stores/postgres-connection.ts'),
    import('./stores/postgres-schema.ts'),
    import('./stores/postgres.ts'),
  ]);
  const client = await connectTo(target);
  try {
    await telling(target, async () => {
      for (const sql of takingAway(resources)) await client.query(sql);
    });
  } finally {
    await client.end();
  }
  return undefined;
}

function resetFile(file: string): string | undefined {
  if (!existsSync(file)) throw new Failure('not_found', `There is no mirror ${file}.`);
  try {
    new ReadOnly({
      ...namingOfMirror(file),
      applicationId,
      version: Number.MAX_SAFE_INTEGER,
      wait: 0,
    }).close();
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    return setAside(file);
  }
  removeFile(file);
  return undefined;
}
