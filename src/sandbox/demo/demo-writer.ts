/** Writes the demo's records at times in the past, with stable IDs. */

import { RandomGenerator } from '../../base/random.ts';
import type { Cell, Database } from '../../base/storage/database.ts';
import { dayMs, formatTimestamp, hourMs } from '../calendar.ts';
import { type Context, stableId } from '../context.ts';
import { toCell } from '../kinds.ts';
import { ruleOf } from '../rules/index.ts';
import { findRow, insertRow, setLink } from '../store/rows.ts';
import { type Column, positionColumn, type Relation, type Table, type Tables } from '../store/tables.ts';

/** Values by field name. Related records are names, IDs or `{id, …pivot}`; a relation to many is a list of these. */
export type DemoValues = Readonly<Record<string, unknown>>;

const seed = 8714;
const noonHour = 12;

/** Writes records at the writer's current time, which is in the past. */
export class DemoWriter implements Context {
  readonly database: Database;
  readonly tables: Tables;
  readonly random = new RandomGenerator(seed);
  now: number;
  userId = '';
  /** Whether the time advances after each record, for two records a day. */
  advancesTime = false;
  readonly #todayStart: number;
  readonly #counts = new Map<string, number>();
  readonly #usedExampleIds = new Set<string>();
  /** The IDs of added records, by table and name. */
  readonly #idsByName = new Map<string, string>();

  constructor({ database, tables }: Pick<Context, 'database' | 'tables'>, now: number) {
    this.database = database;
    this.tables = tables;
    this.now = now;
    this.#todayStart = now - (now % dayMs);
  }

  setTime(daysAgo: number, hour = 9): void {
    this.now = this.#todayStart - daysAgo * dayMs + hour * hourMs;
  }

  /** Returns a readable ID, such as `order-1`, for tables with readable IDs in the contract; otherwise a stable ID. */
  newId = (tableName: string): string => {
    const number = (this.#counts.get(tableName) ?? 0) + 1;
    this.#counts.set(tableName, number);
    const prefix = idPrefixes.get(tableName);
    return prefix ? `${prefix}-${number}` : stableId(`${tableName}/${number}`);
  };

  /**
   * Adds a record at the writer's time and applies the resource's rule. Returns its ID. Does nothing if the API doesn't
   * have the resource.
   */
  add(tableName: string, values: DemoValues, id?: string): string {
    const { tables } = this;
    if (!tables.has(tableName)) return id ?? this.newId(tableName);
    const addedId = this.addToTable(tables.get(tableName), values, id);
    if (this.advancesTime) this.#advanceTime();
    return addedId;
  }

  addToTable(table: Table, values: DemoValues, explicitId?: string): string {
    const cells = this.#cellsOf(table.columns, values);
    const timestamp = formatTimestamp(this.now);
    const rule = ruleOf(table.name);
    const completeCells = { ...rule.initialCells?.(this, cells), ...cells };
    const id = explicitId ?? this.#newRecordId(table, completeCells);
    insertRow(this.database, table, { ...completeCells, id, created_at: timestamp, updated_at: timestamp });
    this.#idsByName.set(`${table.name}/${values.name}`, id);
    for (const relation of table.relations) this.#addRelated(table, relation, id, values[relation.fieldName]);
    if (rule.applyEffects) rule.applyEffects(this, undefined, this.#row(table, id));
    return id;
  }

  /** Returns the contract's ID for the first record with an example key of the contract; otherwise a new ID. */
  #newRecordId({ name }: Table, cells: Readonly<Record<string, Cell>>): string {
    const nextId = this.newId(name);
    const { api } = this.tables;
    const resource = api.resource(name);
    const key = resource && cells[resource.exampleKeyField ?? resource.key[0] ?? ''];
    if (typeof key !== 'string' || !api.exampleKeys(name).includes(key)) return nextId;
    const exampleId = api.exampleId(name, key) ?? nextId;
    if (this.#usedExampleIds.has(exampleId)) return nextId;
    this.#usedExampleIds.add(exampleId);
    return exampleId;
  }

  /** Advances the time from morning to afternoon, or from afternoon to the next morning. */
  #advanceTime(): void {
    const hour = new Date(this.now).getUTCHours();
    this.now += hour < noonHour ? noonHour * hourMs - hour * hourMs + 4 * hourMs : (24 - hour + 10) * hourMs;
  }

  #addRelated(table: Table, relation: Relation, id: string, value: unknown): void {
    for (const [position, item] of ((value ?? []) as (string | DemoValues)[]).entries()) {
      if (relation.kind !== 'links') {
        const partCells = { [relation.column]: id, [positionColumn]: position };
        this.addToTable(relation.target, { ...(item as DemoValues), ...partCells });
        continue;
      }
      const { id: nameOrId, ...pivot } = typeof item === 'string' ? { id: item } : item;
      if (typeof nameOrId !== 'string')
        throw new Error(`${table.name}.${relation.fieldName} has a record without an id`);
      const linkedId = this.#resolveId(relation.target.name, nameOrId);
      const link = { id: linkedId, pivot: this.#cellsOf(relation.table.pivot, pivot) };
      setLink(this.database, relation, id, link, position);
    }
  }

  /** Returns the ID of the record with a name. Text that isn't a name is returned as an ID. */
  #resolveId(tableName: string, nameOrId: string): string {
    return this.#idsByName.get(`${tableName}/${nameOrId}`) ?? nameOrId;
  }

  #cellsOf(columns: readonly Column[], values: DemoValues): Record<string, Cell> {
    const filledColumns = columns.filter(({ fieldName }) => values[fieldName] !== undefined);
    return Object.fromEntries(
      filledColumns.map(({ name, fieldName, field }) => {
        const { target } = field.traits;
        const value = values[fieldName];
        const isRelation = target !== undefined && typeof value === 'string';
        return [name, toCell(field, isRelation ? this.#resolveId(target, value) : value)];
      }),
    );
  }

  #row(table: Table, id: string) {
    const row = findRow(this.database, table, id);
    if (!row) throw new Error(`${table.name} ${id} was not added`);
    return row;
  }
}

/** The prefixes of readable IDs, by table. */
const idPrefixes = new Map([
  ['orders', 'order'],
  ['order_returns', 'order-return'],
  ['loyalty_transactions', 'loyalty-transaction'],
  ['loyalty_rewards', 'loyalty-reward'],
]);
