/** The journal of a service: every write in the order in which it was written down to be sent, added to by any number of processes and never rewritten. */
import type { Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import type { CommandContent, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';
import { journalForm } from './form.ts';
import { Draft, type Tail } from './queue.ts';

/** Whose writes they are. */
export interface AccountFacts {
  /** Stands for the token at its address. */
  key: string;
  business?: string | undefined;
  businessName?: string | undefined;
  user?: string | undefined;
  userName?: string | undefined;
}

export interface NewCommand extends CommandContent {
  run: string;
  account: AccountFacts;
}

export interface NewEntry extends EntryContent {
  /** Milliseconds since 1970. */
  at: number;
  /** As `command` gave it. */
  command: number;
  part?: string | undefined;
  resource: string | null;
  verb: string | null;
  fields: readonly string[];
}

export interface NewOutcome extends OutcomeContent {
  at: number;
  outcome: EntryOutcome;
}

export class Journal {
  readonly database: Database;
  /** Entries in the queue when this one wrote last. */
  waiting = 0;

  readonly #hide: (text: string) => string;
  /** While something is written. */
  #draft: Draft | undefined;

  /** `hide` covers what must never be kept, wherever it stands. */
  constructor(file: string, hide: (text: string) => string = (text) => text) {
    this.#hide = hide;
    this.database = openFile(file, journalForm(file));
  }

  /** All of the work or nothing, alone among the processes that write here. */
  write<T>(work: (draft: Draft) => T): T {
    if (this.#draft) return work(this.#draft);
    try {
      return this.database.write(() => {
        const draft = new Draft(this.database, this.#tail());
        this.#draft = draft;
        const done = work(draft);
        draft.enqueue();
        return done;
      });
    } finally {
      this.#draft = undefined;
    }
  }

  /** A command that is about to write, or a part of a run that goes on in another process. Answers its id. */
  addCommand(at: number, { run, account, ...content }: NewCommand): number {
    return this.write((draft) => draft.addCommand([at, run, this.#account(account)], this.#textOf(content)));
  }

  /** A write that is about to be sent. Answers its number. */
  addEntry({ at, command, part, resource, verb, fields, ...content }: NewEntry): number {
    const cells = [at, command, part ?? null, resource, verb, content.ids[0] ?? null, JSON.stringify(fields)];
    return this.write((draft) => draft.addEntry(cells, this.#textOf(content)));
  }

  /** What came of it: whatever is told of it later is not kept. */
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
    const tail = this.database.get(
      'SELECT tail.place, tail.number, tail.hash, chain_end.number AS entered FROM tail, chain_end',
    );
    const number = Number(tail?.number);
    this.waiting = number - Number(tail?.entered);
    // A number is never given again.
    if (!tail || !(this.waiting >= 0)) throw this.database.damaged();
    return { place: Number(tail.place), number, hash: String(tail.hash) };
  }

  #account({ key, business, businessName, user, userName }: AccountFacts): number {
    const cells = [business, businessName, user, userName].map((text) => text ?? null);
    const known = this.database.get(
      `SELECT id FROM accounts WHERE key = ? AND (?2 IS NULL OR business = ?2) AND (?3 IS NULL OR business_name = ?3)
         AND (?4 IS NULL OR user = ?4) AND (?5 IS NULL OR user_name = ?5)`,
      key,
      ...cells,
    );
    if (known) return Number(known.id);
    // What was known of it before, and isn't told now, stays.
    this.database.run(
      `INSERT INTO accounts (key, business, business_name, user, user_name) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET
         business = coalesce(excluded.business, business),
         business_name = coalesce(excluded.business_name, business_name),
         user = coalesce(excluded.user, user),
         user_name = coalesce(excluded.user_name, user_name)`,
      key,
      ...cells,
    );
    return Number(this.database.get('SELECT id FROM accounts WHERE key = ?', key)?.id);
  }
}
