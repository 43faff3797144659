/** What has become of a sandbox between two moments: stock that is more or less, and who was notified of what. */
import { titleIn } from '../../contract/resource.ts';
import type { Sandbox } from '../service.ts';
import { newestSequence } from './events.ts';
import { type StockLevel, stockLevels } from './stock-levels.ts';

/** Of one moment, as much as another one is held against. */
export interface SandboxMoment {
  lastEvent: number;
  stock: readonly StockLevel[];
}

export interface SandboxEffects {
  /** In storage units, where it has changed; places and items by what people call them. */
  stock: { place: string; item: string; old: number; new: number }[];
  notifications: { type: string; branch: string; users: string[] }[];
}

const allOfThem = Number.MAX_SAFE_INTEGER;

export function momentOf(sandbox: Sandbox): SandboxMoment {
  // To be asked for events brings a sandbox to the present: what was due by now is none of what comes next.
  sandbox.events(0, 0);
  return { lastEvent: newestSequence(sandbox.database), stock: stockLevels(sandbox) };
}

export function effectsSince(sandbox: Sandbox, before: SandboxMoment): SandboxEffects {
  const markOf = ({ placeId, itemId }: StockLevel) => `${placeId} ${itemId}`;
  const was = new Map(before.stock.map((level) => [markOf(level), level.quantity]));
  const changed = stockLevels(sandbox).filter((level) => (was.get(markOf(level)) ?? 0) !== level.quantity);
  return {
    stock: changed.map((level) => ({
      place: nameIn(sandbox, ['branches', 'warehouses'], level.placeId),
      item: nameIn(sandbox, ['inventory_items'], level.itemId),
      old: was.get(markOf(level)) ?? 0,
      new: level.quantity,
    })),
    notifications: sandbox.events(before.lastEvent, allOfThem).map(({ type, branch, users }) => ({
      type,
      branch: branch.name,
      users: users.map(({ name }) => name),
    })),
  };
}

/** By what people call it. */
function nameIn({ api, database }: Sandbox, tables: readonly string[], id: string): string {
  for (const table of tables) {
    const fields = api.resource(table)?.fields;
    const title = fields ? (titleIn(fields) ?? 'id') : 'name';
    const row = database.get(`SELECT ${title} AS name FROM ${table} WHERE id = ?`, id);
    if (typeof row?.name === 'string' && row.name !== '') return row.name;
  }
  return id;
}
