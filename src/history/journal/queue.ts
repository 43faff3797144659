/**
 * Implements the queue of rows that are not in the tables yet. A write adds one queue position with all its rows as text;
 * the next reader moves them to the tables and their indexes.
 */
import type { Cell, Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';

/** Tables whose rows pass through the queue. */
export type QueuedTable = 'commands' | 'entries' | 'outcomes';

/** A row that waits to move to its table. */
interface QueuedRow {
  table: QueuedTable;
  /** All cells except the content, in the order of `queuedColumns`. */
  cells: readonly Cell[];
  /** The content as JSON. */
  content: string;
}

/** The columns of a queued row's cells, in order; the content comes after them. */
const queuedColumns = {
  commands: ['id', 'at', 'run'],
  entries: ['number', 'at', 'command', 'part', 'resource', 'verb', 'id', 'fields'],
  // The ID of a new record; it is copied to its entry.
  outcomes: ['number', 'at', 'outcome', 'id'],
} as const satisfies Readonly<Record<QueuedTable, readonly string[]>>;

/** The end of the queue. */
export interface Tail {
  /** The newest position; positions are never reused. */
  position: number;
  /** The number of the newest recorded entry. */
  number: number;
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
    const tail = this.#tail;
    tail.position += 1;
    this.#database.insert('INSERT INTO queue VALUES (?, ?)', tail.position, this.#lines.join('\n'));
    this.#database.run('UPDATE tail SET place = ?, number = ?', tail.position, tail.number);
    this.#lines = [];
    this.#hasCommand = false;
  }

  /** Separates cells by tabs and rows by line breaks: JSON contains neither. */
  #add({ table, cells, content }: QueuedRow): void {
    this.#lines.push(`${JSON.stringify([table, ...cells])}\t${content}`);
  }
}

export interface QueuePosition {
  position: number;
  rows: { table: QueuedTable; cellsByColumn: Record<string, Cell> }[];
}

/**
 * Returns the next position with its rows. Only one is read at a time, because a large run may have queued many rows.
 * Throws the storage failure for a damaged file.
 */
export function nextPosition(
  database: Database,
  { after, upTo }: { after: number; upTo: number },
): QueuePosition | undefined {
  const row = database.get(
    'SELECT place, content FROM queue WHERE place > ? AND place <= ? ORDER BY place LIMIT 1',
    ...[after, upTo],
  );
  if (!row) return undefined;
  const lines = String(row.content).split('\n');
  return { position: Number(row.place), rows: lines.map((line) => parseLine(line, database)) };
}

function parseLine(line: string, database: Database): QueuePosition['rows'][number] {
  const tab = line.indexOf('\t');
  const [table, ...cells] = parseJsonCell(line.slice(0, Math.max(0, tab)), database, isTableAndCells);
  const cellsByColumn: Record<string, Cell> = { content: line.slice(tab + 1) };
  for (const [index, name] of queuedColumns[table].entries()) cellsByColumn[name] = cells[index] ?? null;
  return { table, cellsByColumn };
}

function isTableAndCells(value: unknown): value is [QueuedTable, ...Cell[]] {
  if (!Array.isArray(value)) return false;
  const [table, ...cells] = value as unknown[];
  return (
    typeof table === 'string' &&
    Object.hasOwn(queuedColumns, table) &&
    cells.length === queuedColumns[table as QueuedTable].length &&
    cells.every((cell) => cell === null || typeof cell === 'string' || typeof cell === 'number')
  );
}
