/** Compares a sandbox at two moments: which stock has changed, and which notifications were sent. */
import { titleField } from '../../contract/resource.ts';
import type { Sandbox } from '../service.ts';
import { newestSequence } from './events.ts';
import { type StockLevel, stockLevels } from './stock.ts';

/** What is recorded of a moment for the comparison. */
export interface SandboxMoment {
  lastEvent: number;
  stock: readonly StockLevel[];
}

/** What has changed between two moments. */
export interface SandboxEffects {
  /** Changed stock in storage units, with the names of places and items. */
  stock: { place: string; item: string; old: number; new: number }[];
  notifications: { type: string; branch: string; users: string[] }[];
}

const noLimit = Number.MAX_SAFE_INTEGER;

/** Records the current moment. */
export function momentOf(sandbox: Sandbox): SandboxMoment {
  // Asking for events applies everything that is due, so that it doesn't count as an effect of what comes next.
  sandbox.events(0, 0);
  return { lastEvent: newestSequence(sandbox.database), stock: stockLevels(sandbox) };
}

/** Returns what has changed since a recorded moment. */
export function effectsSince(sandbox: Sandbox, before: SandboxMoment): SandboxEffects {
  const keyOf = ({ placeId, itemId }: StockLevel) => `${placeId} ${itemId}`;
  const was = new Map(before.stock.map((level) => [keyOf(level), level.quantity]));
  const changed = stockLevels(sandbox).filter((level) => (was.get(keyOf(level)) ?? 0) !== level.quantity);
  return {
    stock: changed.map((level) => ({
      place: nameIn(sandbox, ['branches', 'warehouses'], level.placeId),
      item: nameIn(sandbox, ['inventory_items'], level.itemId),
      old: was.get(keyOf(level)) ?? 0,
      new: level.quantity,
    })),
    notifications: sandbox.events(before.lastEvent, noLimit).map(({ type, branch, users }) => ({
      type,
      branch: branch.name,
      users: users.map(({ name }) => name),
    })),
  };
}

/** Returns the name of a record, or its id. */
function nameIn({ api, database }: Sandbox, tables: readonly string[], id: string): string {
  for (const table of tables) {
    const fields = api.resource(table)?.fields;
    const title = fields ? (titleField(fields) ?? 'id') : 'name';
    const row = database.get(`SELECT ${title} AS name FROM ${table} WHERE id = ?`, id);
    if (typeof row?.name === 'string' && row.name !== '') return row.name;
  }
  return id;
}
