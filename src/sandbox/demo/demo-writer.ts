/** Writes the demo's records as if they had been created over years: at times in the past, with stable ids. */

import { RandomGenerator } from '../../base/random.ts';
import type { Database } from '../../storage/database.ts';
import { dayMs, formatTimestamp, hourMs } from '../calendar.ts';
import { type Context, idFrom } from '../context.ts';
import { ruleOf } from '../rules/index.ts';
import { type Cell, toCell } from '../store/cells.ts';
import { setLink } from '../store/links.ts';
import { findRow, insertRow } from '../store/rows.ts';
import { type Column, positionColumn, type Relation, type Table, type Tables } from '../store/tables.ts';

/**
 * Values by field name. A relation to one record is its name or id; a relation to many is a list of these or of `{id,
 * …pivot}`.
 */
export type DemoValues = Readonly<Record<string, unknown>>;

const seed = 8714;
const noonHour = 12;

/** Writes records at a time that moves through the past. */
export class DemoWriter implements Context {
  readonly database: Database;
  readonly tables: Tables;
  readonly chance = new RandomGenerator(seed);
  now: number;
  userId = '';
  /** Whether records are created one after the other, two a day; otherwise all at one time. */
  advancesTime = false;
  readonly #todayStart: number;
  readonly #counts = new Map<string, number>();
  readonly #usedExampleIds = new Set<string>();
  /** The ids of added records, by table and name. */
  readonly #idsByName = new Map<string, string>();

  constructor({ database, tables }: Pick<Context, 'database' | 'tables'>, now: number) {
    this.database = database;
    this.tables = tables;
    this.now = now;
    this.#todayStart = now - (now % dayMs);
  }

  /** Sets the time to an hour of a day in the past. */
  setTime(daysAgo: number, hour = 9): void {
    this.now = this.#todayStart - daysAgo * dayMs + hour * hourMs;
  }

  /** Returns a readable id such as `order-1` where the contract uses such ids, and a stable one otherwise. */
  newId = (tableName: string): string => {
    const number = (this.#counts.get(tableName) ?? 0) + 1;
    this.#counts.set(tableName, number);
    const prefix = idPrefixes.get(tableName);
    return prefix ? `${prefix}-${number}` : idFrom(`${tableName}/${number}`);
  };

  /**
   * Adds a record at the writer's time and applies its rule. Returns its id. Adds nothing if the API has no such
   * resource.
   */
  add(tableName: string, values: DemoValues, id?: string): string {
    const { tables } = this;
    if (!tables.has(tableName)) return id ?? this.newId(tableName);
    const added = this.addToTable(tables.named(tableName), values, id);
    if (this.advancesTime) this.#advanceTime();
    return added;
  }

  /** Adds a record to a table. Returns its id. */
  addToTable(table: Table, values: DemoValues, given?: string): string {
    const cells = this.#cellsOf(table.columns, values);
    const moment = formatTimestamp(this.now);
    const rule = ruleOf(table.name);
    const completeCells = { ...rule.initialCells?.(this, cells), ...cells };
    const id = given ?? this.#newRecordId(table, completeCells);
    insertRow(this.database, table, { ...completeCells, id, created_at: moment, updated_at: moment });
    this.#idsByName.set(`${table.name}/${values.name}`, id);
    for (const relation of table.relations) this.#addRelated(table, relation, id, values[relation.fieldName]);
    if (rule.applyEffects) rule.applyEffects(this, undefined, this.#row(table, id));
    return id;
  }

  /** Returns the contract's id for a record that the contract names, the first time. */
  #newRecordId({ name }: Table, cells: Readonly<Record<string, Cell>>): string {
    const next = this.newId(name);
    const { api } = this.tables;
    const resource = api.resource(name);
    const key = resource && cells[resource.exampleKeyField ?? resource.key[0] ?? ''];
    if (typeof key !== 'string' || !api.exampleKeys(name).includes(key)) return next;
    const exampleId = api.exampleId(name, key) ?? next;
    if (this.#usedExampleIds.has(exampleId)) return next;
    this.#usedExampleIds.add(exampleId);
    return exampleId;
  }

  /** Moves the time from morning to afternoon, and then to the next morning. */
  #advanceTime(): void {
    const hour = new Date(this.now).getUTCHours();
    this.now += hour < noonHour ? noonHour * hourMs - hour * hourMs + 4 * hourMs : (24 - hour + 10) * hourMs;
  }

  #addRelated(table: Table, relation: Relation, id: string, value: unknown): void {
    for (const [position, item] of ((value ?? []) as (string | DemoValues)[]).entries()) {
      if (relation.kind !== 'links') {
        const place = { [relation.column]: id, [positionColumn]: position };
        this.addToTable(relation.target, { ...(item as DemoValues), ...place });
        continue;
      }
      const { id: otherId, ...pivot } = typeof item === 'string' ? { id: item } : item;
      if (typeof otherId !== 'string') throw new Error(`${table.name}.${relation.fieldName} names no record`);
      const otherEnd = this.#idOfNamed(relation.target.name, otherId);
      const link = { id: otherEnd, pivot: this.#cellsOf(relation.table.pivot, pivot) };
      setLink(this.database, relation, id, link, position);
    }
  }

  /** Returns the id of the record with this name; a text that isn't a name is an id. */
  #idOfNamed(tableName: string, nameOrId: string): string {
    return this.#idsByName.get(`${tableName}/${nameOrId}`) ?? nameOrId;
  }

  #cellsOf(columns: readonly Column[], values: DemoValues): Record<string, Cell> {
    const given = columns.filter(({ fieldName }) => values[fieldName] !== undefined);
    return Object.fromEntries(
      given.map(({ name, fieldName, field }) => {
        const { target } = field.traits;
        const value = values[fieldName];
        const isRelation = target !== undefined && typeof value === 'string';
        return [name, toCell(field, isRelation ? this.#idOfNamed(target, value) : value)];
      }),
    );
  }

  #row(table: Table, id: string) {
    const row = findRow(this.database, table, id);
    if (!row) throw new Error(`${table.name} ${id} was not added`);
    return row;
  }
}

const idPrefixes = new Map([
  ['orders', 'order'],
  ['order_returns', 'order-return'],
  ['loyalty_transactions', 'loyalty-transaction'],
  ['loyalty_rewards', 'loyalty-reward'],
]);
