/** What a rehearsal comes to: what was refused, what became of the stock and of loyalty, who was told, and what it can’t say. */
import { operation } from '../../contract/operation.ts';
import { titleIn } from '../../contract/resource.ts';
import type { Page, Result } from '../../interaction/output/result.ts';
import { changeRecord } from '../../manifest/plan/change.ts';
import type { Rehearsed } from '../../manifest/rehearse.ts';
import { type StockLevel, stockLevels } from '../../sandbox/business/stock-levels.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import type { Session } from '../../session/session.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { summary, textOf } from './show-plan.ts';

const allOfThem = Number.MAX_SAFE_INTEGER;

/** What a moment of the stage is known by. */
export interface StageState {
  lastEvent: number;
  stock: readonly StockLevel[];
}

export interface Effects {
  /** In storage units, where it has changed. */
  stock: { place: string; item: string; old: number; new: number }[];
  /** What customers have earned or used. */
  loyalty: { resource: string; id: string }[];
  notifications: { type: string; branch: string; users: string[] }[];
}

export function stateOf(sandbox: Sandbox): StageState {
  return { lastEvent: sandbox.events(0, allOfThem).at(-1)?.sequence ?? 0, stock: stockLevels(sandbox) };
}

export async function effectsOf(sandbox: Sandbox, before: StageState, stage: Session): Promise<Effects> {
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
    loyalty: await loyaltyOf(stage),
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

/** The stage begins with none: whatever is there came of the changes. */
async function loyaltyOf(stage: Session): Promise<Effects['loyalty']> {
  const found: Effects['loyalty'] = [];
  for (const resource of stage.api.collections.filter(({ group }) => group === 'loyalty')) {
    const list = operation(resource, 'list');
    if (!list) continue;
    for await (const { id } of stage.list({ operation: list, query: {} }).rows())
      found.push({ resource: resource.command, id: String(id) });
  }
  return found;
}

export async function rehearsalResult(
  { plan, results, limits }: Rehearsed,
  { stock, loyalty, notifications }: Effects,
): Promise<Result> {
  const refused = results
    .filter(({ outcome }) => outcome !== 'done')
    .map(({ resource, key, action, error }) => ({
      resource,
      key,
      action,
      message: error?.message ?? null,
      fields: error?.fields ?? null,
    }));
  const changes = await textOf(plan.changes);
  const lines = [
    ...refused.map(({ key, message }) => `refused: ${key ?? ''}: ${message ?? ''}`),
    ...stock.map((each) => `stock: ${each.item} at ${each.place}: ${each.old} → ${each.new}`),
    ...loyalty.map(({ resource, id }) => `loyalty: ${resource} ${id}`),
    ...notifications.map(({ type, branch, users }) => `notified: ${users.join(', ')}: ${type} (${branch})`),
  ];
  const end =
    refused.length === 0
      ? 'All of it was taken.'
      : `${refused.length} of ${results.length} changes were refused.`;
  return {
    kind: 'facts',
    facts: {
      changes: plan.changes.map(changeRecord),
      refused,
      stock,
      loyalty,
      notifications,
      not_rehearsed: limits,
    },
    text: (page: Page) => changes(page) + lines.map((line) => `${cleanLine(line)}\n`).join(''),
    remarks: [...plan.remarks, ...limits, summary(plan), `${end} The account was only read.`],
  };
}
