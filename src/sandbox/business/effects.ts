/** Finds the effects of actions in a sandbox: changed stock and sent notifications. */
import { titleField } from '../../api/contract/resource.ts';
import type { Sandbox } from '../service.ts';
import { newestSequence } from './events.ts';
import { type StockLevel, stockLevels } from './stock.ts';

/** The state of a sandbox before the actions. */
export interface SandboxBaseline {
  lastEvent: number;
  stock: readonly StockLevel[];
}

export interface SandboxEffects {
  /** Changed stock in storage units, with the names of branches or warehouses and of items. */
  stock: { place: string; item: string; old: number; new: number }[];
  notifications: { type: string; branch: string; users: string[] }[];
}

const noLimit = Number.MAX_SAFE_INTEGER;

/** Returns the current state, for a later call of `effectsSince`. */
export function baselineOf(sandbox: Sandbox): SandboxBaseline {
  // Reading events applies all due changes, so that they don't count as effects of the actions.
  sandbox.events(0, 0);
  return { lastEvent: newestSequence(sandbox.database), stock: stockLevels(sandbox) };
}

export function effectsSince(sandbox: Sandbox, baseline: SandboxBaseline): SandboxEffects {
  const keyOf = ({ placeId, itemId }: StockLevel) => `${placeId} ${itemId}`;
  const oldQuantities = new Map(baseline.stock.map((level) => [keyOf(level), level.quantity]));
  const changedLevels = stockLevels(sandbox).filter(
    (level) => (oldQuantities.get(keyOf(level)) ?? 0) !== level.quantity,
  );
  return {
    stock: changedLevels.map((level) => ({
      place: recordName(sandbox, ['branches', 'warehouses'], level.placeId),
      item: recordName(sandbox, ['inventory_items'], level.itemId),
      old: oldQuantities.get(keyOf(level)) ?? 0,
      new: level.quantity,
    })),
    notifications: sandbox.events(baseline.lastEvent, noLimit).map(({ type, branch, users }) => ({
      type,
      branch: branch.name,
      users: users.map(({ name }) => name),
    })),
  };
}

/** Returns the name of a record; its ID if it has no name. */
function recordName({ api, database }: Sandbox, tables: readonly string[], id: string): string {
  for (const table of tables) {
    const fields = api.resource(table)?.fields;
    const title = fields ? (titleField(fields) ?? 'id') : 'name';
    const row = database.get(`SELECT ${title} AS name FROM ${table} WHERE id = ?`, id);
    if (typeof row?.name === 'string' && row.name !== '') return row.name;
  }
  return id;
}
