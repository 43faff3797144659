/** What a sandbox's file is: how it is known, what it holds, and how messages speak of it. */
import { basename } from 'node:path';
import type { Database } from '../../storage/database.ts';
import type { Naming } from '../../storage/failures.ts';
import type { Form } from '../../storage/open.ts';
import { carryOver } from './carry-over.ts';
import { readFact, writeFact } from './facts.ts';
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

/** `file` is the one that messages speak of. */
export function sandboxForm(file: string, tables: readonly Table[]): Form {
  const schema = schemaOf(tables);
  const mark = markOf(schema);
  return {
    ...namingOf(file),
    // "boh" and a number.
    applicationId: 0x626f6801,
    steps: versions,
    upkeep: {
      isDone: (database) => readFact(database, 'contract') === mark,
      do: (database: Database) => {
        carryOver(database, schema);
        writeFact(database, 'contract', mark);
      },
    },
    durability: 'process',
    wait: 5000,
    functions: { fold: (cell = null) => fold(cell) },
  };
}
