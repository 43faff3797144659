/** Opens a sandbox's file, or makes it, and begins one anew. */
import { existsSync } from 'node:fs';
import { otherName, takeContentOf } from '../../storage/copy.ts';
import { inDraftSlowly } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import { Turns, type Waiting } from '../../storage/turns.ts';
import { forgetTokensOfNobody } from '../access/tokens.ts';
import { namingOf, sandboxForm } from './form.ts';
import type { Tables } from './tables.ts';

/** Fills a new sandbox, inside one transaction. */
export type Fill = (database: Database) => void;

export interface Opening extends Waiting {
  /** Asked for only where the sandbox is new; without it there has to be one. */
  fill?: () => Promise<Fill>;
  /** Whether what is written outlasts a power cut, too. */
  isDurable?: boolean | undefined;
}

export async function openDatabase(file: string, tables: Tables, opening: Opening): Promise<Database> {
  const isNew = file === ':memory:' || !existsSync(file);
  const fill = isNew && opening.fill ? await opening.fill() : gone;
  const form = sandboxForm(file, () => tables.all, builtMark);
  const durability = opening.isDurable ? 'power' : form.durability;
  return new Turns().soon(() => openFile(file, { ...form, durability }, fill), opening);
}

/** It was there a moment ago. */
function gone(database: Database): never {
  throw database.failure('moved');
}

/** Begins anew: others see the old business or the new one. */
export function refill(database: Database, tables: Tables, fill: Fill, waiting: Waiting): Promise<void> {
  return inDraftSlowly(namingOf(database.file), async (draft) => {
    openFile(
      draft,
      sandboxForm(database.file, () => tables.all, builtMark),
      fill,
    ).close();
    await replaceContent(database, draft, waiting);
  });
}

/**
 * Makes a sandbox what another file is, in one step. Tokens stay, and those of the other file join them: whoever is
 * served the sandbox goes on with the one they have.
 */
export function replaceContent(database: Database, file: string, waiting: Waiting): Promise<void> {
  const finish = () => {
    database.run(`INSERT OR IGNORE INTO sandbox_tokens SELECT * FROM ${otherName}.sandbox_tokens`);
    forgetTokensOfNobody(database);
  };
  return new Turns().inTurn(
    () => takeContentOf(database, file, { keep: ['sandbox_tokens'], finish }),
    waiting,
  );
}

/**
 * The mark of the tables that follow from the API that boh is built with: a file that has it needs no look at all of
 * them. The build puts it in; sources that run as they are work it out.
 */
declare const BOH_CONTRACT_MARK: string | undefined;

const builtMark = typeof BOH_CONTRACT_MARK === 'string' ? BOH_CONTRACT_MARK : undefined;
