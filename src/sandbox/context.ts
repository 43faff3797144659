/** Defines the context of actions in the sandbox (database, time, user, new IDs), and the context of a request. */
import { createHash } from 'node:crypto';
import type { Operation } from '../api/contract/operation.ts';
import type { Database } from '../base/storage/database.ts';
import type { Grant } from './access/tokens.ts';
import type { Variant } from './business/settings.ts';
import { findRow, isObject, readStoredValue, writeStoredValue } from './store/rows.ts';
import type { Table, Tables } from './store/tables.ts';

export interface Context {
  database: Database;
  tables: Tables;
  /** The sandbox's time, in milliseconds since 1970. */
  now: number;
  /** The ID of the user who performs the action. */
  userId: string;
  /** Returns an ID for a new record of a table. `key` is the natural key of the record. */
  newId: (tableName: string, key?: string) => string;
}

/** Returns a context. Its IDs are random unless the sandbox has a seed. `now` is in milliseconds since 1970. */
export function createContext(database: Database, tables: Tables, now: number, userId: string): Context {
  const newId: Context['newId'] = (name, key) => seededId(database, tables, name, key) ?? randomId();
  return { database, tables, now, userId, newId };
}

const storedName = 'ids';

/** The source of IDs that are the same in every run. It is part of the content, so a snapshot restores it. */
interface IdSource {
  seed: number;
  /** The number of IDs without a natural key so far. */
  count: number;
}

function isIdSource(value: unknown): value is IdSource {
  return isObject(value) && Number.isSafeInteger(value.seed) && Number.isSafeInteger(value.count);
}

/** Makes all later IDs follow from the seed and the order of requests, or from the natural keys of records. */
export function setRandomSeed(database: Database, seed: number): void {
  if (readStoredValue(database, storedName, isIdSource)?.seed === seed) return;
  writeStoredValue(database, storedName, { seed, count: 0 } satisfies IdSource);
}

function seededId(database: Database, tables: Tables, name: string, key?: string): string | undefined {
  const source = readStoredValue(database, storedName, isIdSource);
  if (!source) return undefined;
  const idOfKey = key === undefined ? undefined : stableId(`${source.seed}/${name}/${key}`);
  if (idOfKey !== undefined && !findRow(database, tables.get(name), idOfKey)) return idOfKey;
  const count = source.count + 1;
  writeStoredValue(database, storedName, { ...source, count });
  return stableId(`${source.seed}/${count}`);
}

/** The characters of IDs. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const idLength = 12;

/** Returns a random ID. IDs aren't secret, so `Math.random` is enough; `node:crypto` takes long to load. */
export function randomId(): string {
  return idFromBytes(Uint8Array.from({ length: idLength }, () => Math.random() * alphabet.length));
}

/** Returns an ID that depends only on the text, so that the demo business has the same IDs in every sandbox. */
export function stableId(text: string): string {
  return idFromBytes(createHash('sha256').update(text).digest());
}

function idFromBytes(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, idLength), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** The context of a request, after it was routed to an operation. */
export interface OperationCall extends Context {
  grant: Grant;
  /** The variant settings of the simulated deployment. */
  variant: Variant;
  operation: Operation;
  /** The table of the operation's resource. */
  table: Table;
  /** The IDs in the path, in order. */
  ids: readonly string[];
  query: ReadonlyMap<string, string>;
  /** The sent fields; empty for operations without a body. */
  body: Readonly<Record<string, unknown>>;
  /** The URL of the resource's list, for the links of pages. */
  listUrl: string;
}
