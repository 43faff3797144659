/** What a sandbox's file is: how it is known, what it holds, and how messages speak of it. */
import { basename } from 'node:path';
import { lazy } from '../../contract/lazy.ts';
import type { Database } from '../../storage/database.ts';
import type { Naming } from '../../storage/failures.ts';
import type { Form } from '../../storage/open.ts';
import { carryOver } from './carry-over.ts';
import { writeFact } from './facts.ts';
import { fold } from './fold.ts';
import { markOf, schemaOf } from './schema.ts';
import type { Table } from './tables.ts';
import { versions } from './versions.ts';

export function namingOf(file: string): Naming {
  const name = basename(file, '.sqlite');
  return {
    file,
    called: 'The sandbox',
    remedy: `Run boh sandbox reset --name ${name}: it sets the file aside and makes a new one.`,
  };
}

/** Whatever stands there: another one than ours asks for a look at the tables. */
function readMark(database: Database): string | undefined {
  const row = database.get("SELECT value FROM sandbox_facts WHERE name = 'contract'");
  return row && String(row.value);
}

/**
 * `file` is the one that messages speak of. `known` is the mark of the tables, where it is known: a file that has it
 * needs no look at them.
 */
export function sandboxForm(file: string, tables: () => readonly Table[], known?: string): Form {
  const schema = lazy(() => schemaOf(tables()));
  const mark = lazy(() => known ?? markOf(schema()));
  return {
    ...namingOf(file),
    // "boh" and a number.
    applicationId: 0x626f6801,
    steps: versions,
    upkeep: {
      isDone: (database) => readMark(database) === JSON.stringify(mark()),
      do: (database: Database) => {
        carryOver(database, schema());
        writeFact(database, 'contract', mark());
      },
    },
    durability: 'process',
    // Whoever waits does so in turn, while everything else goes on.
    wait: 0,
    functions: { fold: (cell = null) => fold(cell) },
  };
}
