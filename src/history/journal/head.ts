/** The end of the chain, and what is linked behind it. */
import type { Database } from '../../storage/database.ts';
import { digestOf, linkAfter, newSalt } from './chain.ts';
import { digestedCells } from './columns.ts';

/** What a row keeps of its place in the chain, in the order of its columns. */
export interface Link {
  seq: number;
  salt: string;
  digest: string;
  hash: string;
}

/**
 * That something else than a write was done to the journal, or has happened to it, is a link of the chain, too.
 * `altered`: what stood in the queue was changed there. `lost`: writes are missing behind the end; `accepted`: somebody
 * has taken note of all losses before it.
 */
export type MarkKind = 'forgotten' | 'dropped' | 'altered' | 'lost' | 'accepted';

/** Read once and stored once for all the links of a transaction. */
export class Head {
  readonly #database: Database;
  #seq: number;
  #hash: string;
  /** Of the newest entry in the chain. */
  number: number;

  /** Inside a transaction. Throws the failure that the file is damaged. */
  constructor(database: Database) {
    const head = database.get('SELECT seq, number, hash FROM chain_end');
    if (!head) throw database.damaged();
    this.#database = database;
    this.#seq = Number(head.seq);
    this.#hash = String(head.hash);
    this.number = Number(head.number);
  }

  /** For a row with this content. */
  link(content: readonly unknown[], salt = newSalt()): Link {
    const digest = digestOf(salt, content);
    this.#seq += 1;
    this.#hash = linkAfter(this.#hash, this.#seq, digest);
    return { seq: this.#seq, salt, digest, hash: this.#hash };
  }

  mark(at: number, kind: MarkKind, content: object): void {
    const text = JSON.stringify(content);
    const { seq, digest, hash } = this.link(digestedCells('marks', { at, kind, content: text }), '');
    this.#database.insert(
      'INSERT INTO marks (seq, at, kind, content, digest, hash) VALUES (?, ?, ?, ?, ?, ?)',
      ...[seq, at, kind, text, digest, hash],
    );
  }

  store(): void {
    this.#database.run(
      'UPDATE chain_end SET seq = ?, number = ?, hash = ?',
      this.#seq,
      this.number,
      this.#hash,
    );
  }
}
