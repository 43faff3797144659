/** Takes a mirror away. What isn’t one is left alone. */
import { existsSync } from 'node:fs';
import { Failure } from '../base/errors.ts';
import { removeFile, setAside } from '../storage/create.ts';
import type { Mirrored } from './schema/derive.ts';
import { stateOfFile } from './stores/file-state.ts';
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

/** Throws where there is no mirror that could be taken away; nothing is made or changed for it. */
export function demandResettable(target: Target): void {
  if (target.kind === 'sqlite') stateOfMirror(target.file);
}

function resetFile(file: string): string | undefined {
  if (stateOfMirror(file) === 'damaged') return setAside(file);
  removeFile(file);
  return undefined;
}

function stateOfMirror(file: string): ReturnType<typeof stateOfFile> {
  if (!existsSync(file)) throw new Failure('not_found', `There is no mirror ${file}.`);
  return stateOfFile(file);
}
