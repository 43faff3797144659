/**
 * What was written down and isn’t in its tables yet. A write costs a place in this queue, whatever is asked of the journal
 * later: the tables, with their indexes and their chain, are brought up to date by whoever asks. Places are chained, too.
 */
import type { Cell, Database } from '../../storage/database.ts';
import { linkAfter } from './chain.ts';

export type QueuedTable = 'commands' | 'entries' | 'outcomes';

/** A row on its way to its table. */
export interface QueuedRow {
  table: QueuedTable;
  /** All but its content, in the order of `queuedColumns`. */
  cells: readonly Cell[];
  /** As JSON. */
  content: string;
}

/** The end of the queue. */
export interface Tail {
  /** The newest place; it counts on when places are free again. */
  place: number;
  /** Of the newest entry that was written down. */
  number: number;
  hash: string;
}

/** Rows that are written down together, until they stand in the queue. */
export class Draft {
  readonly #database: Database;
  readonly #tail: Tail;
  #lines: string[] = [];
  #hasCommand = false;

  constructor(database: Database, tail: Tail) {
    this.#database = database;
    this.#tail = { ...tail };
  }

  /** A command is known by the place where it was written down: each has one of its own. */
  addCommand(cells: readonly Cell[], content: string): number {
    if (this.#hasCommand) this.enqueue();
    this.#hasCommand = true;
    const id = this.#tail.place + 1;
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

  /** Inside a transaction. */
  enqueue(): void {
    if (this.#lines.length === 0) return;
    const content = this.#lines.join('\n');
    const tail = this.#tail;
    tail.place += 1;
    tail.hash = linkAfter(tail.hash, tail.place, content);
    this.#database.insert('INSERT INTO queue VALUES (?, ?, ?)', tail.place, tail.hash, content);
    this.#database.run('UPDATE tail SET place = ?, number = ?, hash = ?', tail.place, tail.number, tail.hash);
    this.#lines = [];
    this.#hasCommand = false;
  }

  /** JSON has neither tabs nor line breaks of its own. */
  #add({ table, cells, content }: QueuedRow): void {
    this.#lines.push(`${JSON.stringify([table, ...cells])}\t${content}`);
  }
}
