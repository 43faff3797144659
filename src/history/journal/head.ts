/** Manages the end of the chain and appends links to it. */
import type { Database } from '../../storage/database.ts';
import { digestOf, linkAfter, newSalt } from './chain.ts';
import { digestedCells } from './columns.ts';

/** A row's position in the chain, in column order. */
export interface Link {
  seq: number;
  salt: string;
  digest: string;
  hash: string;
}

/**
 * Marks are links of the chain that record changes to the journal other than writes. `altered`: queued rows were
 * changed in the queue. `lost`: writes are missing after the end. `accepted`: a user has accepted all earlier losses.
 */
export type MarkKind = 'forgotten' | 'dropped' | 'altered' | 'lost' | 'accepted';

/** The end of the chain; it is read once and stored once per transaction. */
export class Head {
  readonly #database: Database;
  #seq: number;
  #hash: string;
  /** The number of the newest entry in the chain. */
  number: number;

  /** Requires a transaction. Throws the storage failure for a damaged file. */
  constructor(database: Database) {
    const head = database.get('SELECT seq, number, hash FROM chain_end');
    if (!head) throw database.damagedFailure();
    this.#database = database;
    this.#seq = Number(head.seq);
    this.#hash = String(head.hash);
    this.number = Number(head.number);
  }

  /** Returns the next link for a row with this content. */
  link(content: readonly unknown[], salt = newSalt()): Link {
    const digest = digestOf(salt, content);
    this.#seq += 1;
    this.#hash = linkAfter(this.#hash, this.#seq, digest);
    return { seq: this.#seq, salt, digest, hash: this.#hash };
  }

  mark(time: number, kind: MarkKind, content: object): void {
    const text = JSON.stringify(content);
    const { seq, digest, hash } = this.link(digestedCells('marks', { at: time, kind, content: text }), '');
    this.#database.insert(
      'INSERT INTO marks (seq, at, kind, content, digest, hash) VALUES (?, ?, ?, ?, ?, ?)',
      ...[seq, time, kind, text, digest, hash],
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
