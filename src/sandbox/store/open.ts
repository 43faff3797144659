/** Opens a sandbox's file, or makes it, and begins one anew. */
import { existsSync } from 'node:fs';
import { otherName, takeContentOf } from '../../storage/copy.ts';
import { inDraft } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import { forgetTokensOfNobody } from '../access/tokens.ts';
import { namingOf, sandboxForm } from './form.ts';
import type { Tables } from './tables.ts';

/** Fills a new sandbox, inside one transaction. */
export type Fill = (database: Database) => void;

/** `fill` is asked for only where the sandbox is new. */
export async function openDatabase(
  file: string,
  tables: Tables,
  fill: () => Promise<Fill>,
): Promise<Database> {
  const isNew = file === ':memory:' || !existsSync(file);
  return openFile(file, sandboxForm(file, tables.all), isNew ? await fill() : gone);
}

/** It was there a moment ago. */
function gone(database: Database): never {
  throw database.failure('moved');
}

/** Begins anew: others see the old business or the new one. */
export function refill(database: Database, tables: Tables, fill: Fill): void {
  inDraft(namingOf(database.file), (draft) => {
    openFile(draft, sandboxForm(database.file, tables.all), fill).close();
    replaceContent(database, draft);
  });
}

/**
 * Makes a sandbox what another file is, in one step. Tokens stay, and those of the other file join them: whoever is
 * served the sandbox goes on with the one they have.
 */
export function replaceContent(database: Database, file: string): void {
  takeContentOf(database, file, {
    keep: ['sandbox_tokens'],
    finish: () => {
      database.run(`INSERT OR IGNORE INTO sandbox_tokens SELECT * FROM ${otherName}.sandbox_tokens`);
      forgetTokensOfNobody(database);
    },
  });
}
