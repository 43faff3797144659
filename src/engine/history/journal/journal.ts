/** Implements the journal of an account, to which all writes are appended in the order of sending, by any number of processes. */

import type { Database } from '../../../base/storage/database.ts';
import { openFile } from '../../../base/storage/open.ts';
import { logFormat, openLog } from '../../runs/log.ts';
import type { CommandContent, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';

export interface NewCommand extends CommandContent {
  run: string;
}

export interface NewEntry extends EntryContent {
  /** Milliseconds since 1970. */
  at: number;
  /** The ID that `addCommand` returned. */
  command: number;
  part?: string | undefined;
  resource: string | null;
  verb: string | null;
  fields: readonly string[];
}

/** The outcome of an entry, to be added. */
export interface NewOutcome extends OutcomeContent {
  at: number;
  outcome: EntryOutcome;
}

export interface JournalOptions {
  /** Removes secrets from every stored string. */
  hide?: ((text: string) => string) | undefined;
  /** Whether to use the connection of this process, so that entries can be written in the transaction of a run. */
  isShared?: boolean;
}

export class Journal {
  readonly database: Database;
  readonly #hide: (text: string) => string;
  readonly #close: () => void;

  /** Opens the journal in the log of an account. */
  constructor(file: string, { hide = (text) => text, isShared = false }: JournalOptions = {}) {
    this.#hide = hide;
    const log = isShared ? openLog(file) : undefined;
    const database = log?.database ?? openFile(file, logFormat(file));
    this.database = database;
    this.#close = log?.close ?? (() => database.close());
  }

  /** Runs `work` in a transaction, with exclusive write access. */
  write<T>(work: () => T): T {
    return this.database.write(work);
  }

  /** Adds a command that is about to write, or a resumed run. Returns its ID. */
  addCommand(at: number, { run, ...content }: NewCommand): number {
    const sql = 'INSERT INTO commands (at, run, content) VALUES (?, ?, ?)';
    return this.database.insert(sql, at, run, this.#textOf(content));
  }

  /** Adds a write that is about to be sent. Returns its number. */
  addEntry({ at, command, part, resource, verb, fields, ...content }: NewEntry): number {
    const id = content.ids[0] ?? null;
    return this.database.insert(
      'INSERT INTO entries (at, command, part, resource, verb, id, fields, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[at, command, part ?? null, resource, verb, id, JSON.stringify(fields), this.#textOf(content)],
    );
  }

  /**
   * Adds the outcome of an entry, unless it already has one: a run and the process that resumed it may both report an
   * outcome, and the first one counts. The outcome of a forgotten entry gets no content, that of a deleted one is dropped.
   */
  addOutcome(number: number, { at, outcome, ...content }: NewOutcome): void {
    this.write(() => {
      const added = this.database.run(
        `INSERT INTO outcomes (number, at, outcome, content)
         SELECT number, ?, ?, iif(content IS NULL, NULL, ?) FROM entries WHERE number = ?
         ON CONFLICT DO NOTHING`,
        ...[at, outcome, this.#textOf(content), number],
      );
      if (added > 0 && content.id !== undefined)
        this.database.run(
          'UPDATE entries SET id = ? WHERE number = ? AND id IS NULL AND content IS NOT NULL',
          ...[content.id, number],
        );
    });
  }

  #textOf(content: object): string {
    return this.#hide(JSON.stringify(content));
  }

  close(): void {
    this.#close();
  }
}
