/** The journal of a service: every write in the order in which it was written down to be sent, added to by any number of processes and never rewritten. */
import type { Cell, Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import { digestOf, linkAfter, newSalt } from './chain.ts';
import type { CommandContent, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';
import { journalForm } from './form.ts';
import { numberOfKind } from './kinds.ts';

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

interface Link {
  seq: number;
  salt: string;
  digest: string;
  hash: string;
}

/** Whose entries those of a command are, and the numbers of their kinds that are known, by resource and fields. */
interface Writer {
  account: number;
  profile: string | null;
  kinds: Map<string, number>;
}

/** Where the chain ends. */
interface Head {
  seq: number;
  /** Of the newest entry. */
  number: number;
  hash: string;
}

export class Journal {
  readonly database: Database;

  readonly #hide: (text: string) => string;
  /** While something is written: read once, and written once for all the links that are added. */
  #head: Head | undefined;
  /** By command. */
  readonly #writers = new Map<number, Writer>();

  /** `hide` covers what must never be kept, wherever it stands. */
  constructor(file: string, hide: (text: string) => string = (text) => text) {
    this.#hide = hide;
    this.database = openFile(file, journalForm(file));
  }

  /** All of the work or nothing, alone among the processes that write here. */
  write<T>(work: () => T): T {
    if (this.#head) return work();
    try {
      return this.database.write(() => {
        const from = this.#storedHead();
        const head = { ...from };
        this.#head = head;
        const done = work();
        if (head.seq !== from.seq)
          this.database.run(
            'UPDATE head SET seq = ?, number = ?, hash = ?',
            head.seq,
            head.number,
            head.hash,
          );
        return done;
      });
    } catch (error) {
      // What it made isn’t there.
      this.#writers.clear();
      throw error;
    } finally {
      this.#head = undefined;
    }
  }

  /** A command that is about to write, or a part of a run that goes on in another process. Answers its id. */
  addCommand(at: number, { run, account, ...content }: NewCommand): number {
    return this.write(() => {
      const owner = this.#account(account);
      const text = this.#textOf(content);
      const link = this.#link([at, run, owner, text]);
      const id = this.database.insert(
        'INSERT INTO commands (seq, at, run, account, content, salt, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[link.seq, at, run, owner, text, link.salt, link.digest, link.hash],
      );
      this.#writers.set(id, { account: owner, profile: content.profile, kinds: new Map() });
      return id;
    });
  }

  /** A write that is about to be sent. Answers its number. */
  addEntry({ at, command, part, resource, verb, fields, ...content }: NewEntry): number {
    return this.write(() => {
      const [text, names] = [this.#textOf(content), JSON.stringify(fields)];
      const link = this.#link([at, command, part ?? null, resource, verb, names, text], 1);
      const cells: Cell[] = [link.seq, at, command, part ?? null, resource, verb, content.ids[0] ?? null];
      this.database.insert(
        `INSERT INTO entries (number, seq, at, command, part, resource, verb, id, fields, content, salt, digest, hash, kind)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        link.number,
        ...cells,
        names,
        text,
        ...[link.salt, link.digest, link.hash, this.kindOf(command, resource, names)],
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

  /** The number of the kind that an entry of a command is of; `fields` is JSON. Inside a transaction. */
  kindOf(command: number, resource: string | null, fields: string): number {
    const writer = this.#writers.get(command) ?? this.#writerOf(command);
    const key = `${resource} ${fields}`;
    const known = writer.kinds.get(key) ?? numberOfKind(this.database, { ...writer, resource, fields });
    writer.kinds.set(key, known);
    return known;
  }

  #writerOf(command: number): Writer {
    const row = this.database.get(
      "SELECT account, json_extract(content, '$.profile') AS profile FROM commands WHERE id = ?",
      command,
    );
    const profile = row?.profile == null ? null : String(row.profile);
    const writer = { account: Number(row?.account), profile, kinds: new Map<string, number>() };
    this.#writers.set(command, writer);
    return writer;
  }

  #textOf(content: object): string {
    return this.#hide(JSON.stringify(content));
  }

  /** The parts of a run whose newest entry has no outcome, with its number. */
  openParts(run: string): Map<string, number> {
    const rows = this.database.all(
      `SELECT part, max(entries.number) AS number, outcome
       FROM entries JOIN commands ON commands.id = entries.command LEFT JOIN outcomes ON outcomes.number = entries.number
       WHERE run = ? AND part IS NOT NULL GROUP BY part`,
      run,
    );
    const open = rows.filter(({ outcome }) => outcome === null);
    return new Map(open.map(({ part, number }) => [String(part), Number(number)]));
  }

  close(): void {
    this.database.close();
  }

  /** The next link of the chain, for a row with this content; an entry moves the number on. */
  #link(content: readonly unknown[], entries = 0, salt = newSalt()): Link & { number: number } {
    const head = this.#head;
    if (!head) throw new Error('links are added inside write()');
    const digest = digestOf(salt, content);
    head.seq += 1;
    head.number += entries;
    head.hash = linkAfter(head.hash, head.seq, digest);
    return { ...head, salt, digest };
  }

  #storedHead(): Head {
    const head = this.database.get('SELECT seq, number, hash FROM head');
    if (!head) throw this.database.damaged();
    return { seq: Number(head.seq), number: Number(head.number), hash: String(head.hash) };
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
