/**
 * Implements the queue of rows that are not in the tables yet. A write adds one queue position; the next reader updates
 * the tables, the indexes and the chain. Queue positions also form a chain.
 */
import type { Cell, Database } from '../../storage/database.ts';
import { linkAfter } from './chain.ts';

/** Tables whose rows pass through the queue. */
export type QueuedTable = 'commands' | 'entries' | 'outcomes';

/** A row that waits to move to its table. */
export interface QueuedRow {
  table: QueuedTable;
  /** All cells except the content, in the order of `queuedColumns`. */
  cells: readonly Cell[];
  /** The content as JSON. */
  content: string;
}

/** The end of the queue. */
export interface Tail {
  /** The newest position; positions are never reused. */
  position: number;
  /** The number of the newest recorded entry. */
  number: number;
  hash: string;
}

/** Collects rows that are added to the queue together. */
export class Draft {
  readonly #database: Database;
  readonly #tail: Tail;
  #lines: string[] = [];
  #hasCommand = false;

  constructor(database: Database, tail: Tail) {
    this.#database = database;
    this.#tail = { ...tail };
  }

  /** Adds a command. Its queue position identifies it, so each command has a position of its own. */
  addCommand(cells: readonly Cell[], content: string): number {
    if (this.#hasCommand) this.enqueue();
    this.#hasCommand = true;
    const id = this.#tail.position + 1;
    this.#add({ table: 'commands', cells: [id, ...cells], content });
    return id;
  }

  addEntry(cells: readonly Cell[], content: string): number {
    const number = ++this.#tail.number;
    this.#add({ table: 'entries', cells: [number, ...cells], content });
    return number;
  }

  addOutcome(cells: readonly Cell[], content: string): void {
    this.#add({ table: 'outcomes', cells, content });
  }

  /** Writes the rows to the queue; requires a transaction. */
  enqueue(): void {
    if (this.#lines.length === 0) return;
    const content = this.#lines.join('\n');
    const tail = this.#tail;
    tail.position += 1;
    tail.hash = linkAfter(tail.hash, tail.position, content);
    this.#database.insert('INSERT INTO queue VALUES (?, ?, ?)', tail.position, tail.hash, content);
    this.#database.run(
      'UPDATE tail SET place = ?, number = ?, hash = ?',
      tail.position,
      tail.number,
      tail.hash,
    );
    this.#lines = [];
    this.#hasCommand = false;
  }

  /** Separates cells by tabs and rows by line breaks: JSON contains neither. */
  #add({ table, cells, content }: QueuedRow): void {
    this.#lines.push(`${JSON.stringify([table, ...cells])}\t${content}`);
  }
}
