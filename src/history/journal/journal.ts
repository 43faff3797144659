/**
 * Implements the journal of an account, to which all writes are appended in the order of sending, by any number of
 * processes.
 */
import { join } from 'node:path';
import type { Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import type { CommandContent, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';
import { journalFormat } from './format.ts';
import { Draft, type Tail } from './queue.ts';

export function journalFile(folder: string): string {
  return join(folder, 'history.sqlite');
}

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
}

export class Journal {
  readonly database: Database;
  /** The number of queued entries at the last write of this process. */
  queuedEntries = 0;

  readonly #hide: (text: string) => string;
  /** The draft of the write in progress. */
  #draft: Draft | undefined;

  constructor(file: string, { hide = (text) => text }: JournalOptions = {}) {
    this.#hide = hide;
    this.database = openFile(file, journalFormat(file));
  }

  /** Runs `work` in a transaction, with exclusive write access. */
  write<T>(work: (draft: Draft) => T): T {
    if (this.#draft) return work(this.#draft);
    try {
      return this.database.write(() => {
        const draft = new Draft(this.database, this.#tail());
        this.#draft = draft;
        const result = work(draft);
        this.database.checkStored(() => draft.enqueue());
        return result;
      });
    } finally {
      this.#draft = undefined;
    }
  }

  /** Adds a command that is about to write, or a resumed run. Returns its ID. */
  addCommand(at: number, { run, ...content }: NewCommand): number {
    return this.write((draft) => draft.addCommand([at, run], this.#textOf(content)));
  }

  /** Adds a write that is about to be sent. Returns its number. */
  addEntry({ at, command, part, resource, verb, fields, ...content }: NewEntry): number {
    const cells = [at, command, part ?? null, resource, verb, content.ids[0] ?? null, JSON.stringify(fields)];
    return this.write((draft) => draft.addEntry(cells, this.#textOf(content)));
  }

  /** Adds the outcome of an entry; later outcomes of the same entry are ignored. */
  addOutcome(number: number, { at, outcome, ...content }: NewOutcome): void {
    this.write((draft) => draft.addOutcome([number, at, outcome, content.id ?? null], this.#textOf(content)));
  }

  #textOf(content: object): string {
    return this.#hide(JSON.stringify(content));
  }

  close(): void {
    this.database.close();
  }

  #tail(): Tail {
    const tail = this.database.get('SELECT place, number, entered_place, entered_number FROM tail');
    const [position, number] = [Number(tail?.place), Number(tail?.number)];
    this.queuedEntries = number - Number(tail?.entered_number);
    // Neither a position nor a number is reused.
    if (!(position >= Number(tail?.entered_place)) || !(this.queuedEntries >= 0))
      throw this.database.damagedFailure();
    return { position, number };
  }
}
