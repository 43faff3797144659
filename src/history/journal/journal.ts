/** The journal of a service: every write in the order in which it was written down to be sent, added to by any number of processes and never rewritten. */
import type { Database } from '../../storage/database.ts';
import { type FileIdentity, HeadFile, identityOf } from '../../storage/head-file.ts';
import { openFile } from '../../storage/open.ts';
import type { CommandContent, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';
import { journalForm } from './form.ts';
import { endOfQueue, type Loss, lossIn } from './loss.ts';
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

export interface JournalOptions {
  /** Covers what must never be kept, wherever it stands. */
  hide?: ((text: string) => string) | undefined;
  /** Where its end is noted: see head-file.ts. Without one no loss is found. */
  headFile?: string | undefined;
}

export class Journal {
  readonly database: Database;
  /** Entries in the queue when this one wrote last. */
  waiting = 0;

  readonly #hide: (text: string) => string;
  readonly #headFile: HeadFile | undefined;
  #file: FileIdentity | undefined;
  #loss: Loss | undefined;
  /** While something is written. */
  #draft: Draft | undefined;

  constructor(file: string, { hide = (text) => text, headFile }: JournalOptions = {}) {
    this.#hide = hide;
    this.database = openFile(file, journalForm(file));
    this.#headFile = headFile === undefined ? undefined : new HeadFile(headFile);
    try {
      this.findLoss();
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** What it had lost when it was opened; undefined where it was whole, or the loss has been noted in it. */
  get loss(): Loss | undefined {
    return this.#loss;
  }

  /**
   * Looks again for what was lost: another process may have noted it in the journal meanwhile. Reads the head file before
   * the journal, which is at least as new then.
   */
  findLoss(): Loss | undefined {
    const noted = this.#headFile?.read();
    const found = noted && this.database.read(() => lossIn(this.database, noted, this.#identity()));
    this.#loss = found;
    return found;
  }

  /** Goes on behind a loss, once the work has noted it in the tables: places and numbers are never given again. */
  goOnBehindLoss(work: () => void): void {
    this.database.write(work);
    this.#loss = undefined;
    this.#noteEnd();
  }

  /** Notes the end in the head file; with a loss not, which would not show any more. */
  #noteEnd(): void {
    if (!this.#headFile || this.#loss) return;
    this.#headFile.append({ ...endOfQueue(this.database), file: this.#identity() });
  }

  #identity(): FileIdentity {
    this.#file ??= identityOf(this.database.file);
    return this.#file;
  }

  /** All of the work or nothing, alone among the processes that write here. */
  write<T>(work: (draft: Draft) => T): T {
    if (this.#draft) return work(this.#draft);
    let done: T;
    try {
      done = this.database.write(() => {
        const draft = new Draft(this.database, this.#tail());
        this.#draft = draft;
        const result = work(draft);
        draft.enqueue();
        return result;
      });
    } finally {
      this.#draft = undefined;
    }
    this.#noteEnd();
    return done;
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
