/** The journal of a service: every write in the order in which it was sent, added to by any number of processes and never rewritten. */
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Cell, Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import { digestOf, linkAfter, newSalt } from './chain.ts';
import type { CommandContent, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';
import { journalForm } from './form.ts';

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

/** Of 4 KB each: as much of the log is written before it is moved into the file. */
const pagesInLog = 8000;

interface Link {
  seq: number;
  salt: string;
  digest: string;
  hash: string;
}

export class Journal {
  readonly database: Database;

  readonly #hide: (text: string) => string;

  /** `hide` covers what must never be kept, wherever it stands. */
  constructor(file: string, hide: (text: string) => string = (text) => text) {
    this.#hide = hide;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.database = openFile(file, journalForm(file));
    // It holds what is in the records, and is for nobody else; what SQLite keeps beside it has the same rights.
    chmodSync(file, 0o600);
    // Moving its log into the file waits for the disk: a run of thousands of writes shouldn't every few moments.
    this.database.get(`PRAGMA wal_autocheckpoint = ${pagesInLog}`);
  }

  /** All of the work or nothing, alone among the processes that write here. */
  write<T>(work: () => T): T {
    return this.database.write(work);
  }

  /** A command that is about to write, or a part of a run that goes on in another process. Answers its id. */
  addCommand(at: number, { run, account, ...content }: NewCommand): number {
    return this.write(() => {
      const owner = this.#account(account);
      const text = this.#textOf(content);
      const link = this.#link([at, run, owner, text]);
      return this.database.insert(
        'INSERT INTO commands (seq, at, run, account, content, salt, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[link.seq, at, run, owner, text, link.salt, link.digest, link.hash],
      );
    });
  }

  /** A write that is about to be sent. Answers its number. */
  addEntry({ at, command, part, resource, verb, fields, ...content }: NewEntry): number {
    return this.write(() => {
      const [text, names] = [this.#textOf(content), JSON.stringify(fields)];
      const link = this.#link([at, command, part ?? null, resource, verb, names, text], 1);
      const cells: Cell[] = [link.seq, at, command, part ?? null, resource, verb, content.ids[0] ?? null];
      this.database.insert(
        `INSERT INTO entries (number, seq, at, command, part, resource, verb, id, fields, content, salt, digest, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        link.number,
        ...cells,
        names,
        text,
        ...[link.salt, link.digest, link.hash],
      );
      return link.number;
    });
  }

  /** What came of it, to be told once. */
  addOutcome(number: number, { at, outcome, ...content }: NewOutcome): void {
    this.write(() => {
      const text = this.#textOf(content);
      const link = this.#link([number, at, outcome, text]);
      this.database.insert(
        'INSERT INTO outcomes (number, seq, at, outcome, content, salt, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[number, link.seq, at, outcome, text, link.salt, link.digest, link.hash],
      );
      if (content.id !== undefined)
        this.database.run('UPDATE entries SET id = ? WHERE number = ? AND id IS NULL', content.id, number);
    });
  }

  /** That something else than a write was done to the journal: it is a link of the chain, too. */
  addMark(at: number, kind: 'forgotten' | 'dropped', content: object): void {
    this.write(() => {
      const text = this.#textOf(content);
      const link = this.#link([at, kind, text], 0, '');
      this.database.insert(
        'INSERT INTO marks (seq, at, kind, content, digest, hash) VALUES (?, ?, ?, ?, ?, ?)',
        ...[link.seq, at, kind, text, link.digest, link.hash],
      );
    });
  }

  #textOf(content: object): string {
    return this.#hide(JSON.stringify(content));
  }

  /** The newest entry of a part of a run, where it has no outcome yet. */
  openPart(run: string, part: string): number | undefined {
    const found = this.database.get(
      `SELECT max(entries.number) AS number, outcome
       FROM entries JOIN commands ON commands.id = entries.command LEFT JOIN outcomes ON outcomes.number = entries.number
       WHERE run = ? AND part = ?`,
      run,
      part,
    );
    return found?.number == null || found.outcome !== null ? undefined : Number(found.number);
  }

  close(): void {
    this.database.close();
  }

  /** The next link of the chain, for a row with this content; an entry moves the number on. */
  #link(content: readonly unknown[], entries = 0, salt = newSalt()): Link & { number: number } {
    const head = this.database.get('SELECT seq, number, hash FROM head');
    if (!head) throw this.database.damaged();
    const seq = Number(head.seq) + 1;
    const digest = digestOf(salt, content);
    const hash = linkAfter(String(head.hash), seq, digest);
    const number = Number(head.number) + entries;
    this.database.run('UPDATE head SET seq = ?, number = ?, hash = ?', seq, number, hash);
    return { seq, number, salt, digest, hash };
  }

  #account({ key, business, businessName, user, userName }: AccountFacts): number {
    const cells = [business, businessName, user, userName].map((text) => text ?? null);
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
