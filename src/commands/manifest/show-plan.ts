/** A plan as people read it: a line for each record, below it what changes of it. */
import type { Page, Result } from '../../interaction/output/result.ts';
import {
  type Change,
  type ChangeAction,
  changeRecord,
  type FieldChange,
} from '../../manifest/plan/change.ts';
import type { Plan } from '../../manifest/plan/make-plan.ts';
import { writesOf } from '../../manifest/plan/writes.ts';
import type { Session } from '../../session/session.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { displayWidth, truncate } from '../../terminal/width.ts';

export function planResult(plan: Plan): Result {
  return {
    kind: 'facts',
    facts: { changes: plan.changes.map(changeRecord) },
    text: (page) => planText(plan.changes, page),
    remarks: [...plan.remarks, summary(plan)],
  };
}

/** The same of what is to be applied: what of it can’t be taken back is said. */
export async function foretoldPlan(plan: Plan, session: Session): Promise<Result> {
  await session.foretell(writesOf(plan));
  return planResult(plan);
}

/** `2 to create, 1 to update; 57 as declared.` */
export function summary({ changes, matches }: Plan): string {
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} to ${action}`];
  });
  const updated = changes.filter(({ action }) => action === 'update').length;
  const same = matches.size - updated;
  const rest = same > 0 ? `${same.toLocaleString('en-US')} as declared` : '';
  if (counts.length === 0) return `Nothing to do: ${rest || 'nothing is declared'}.`;
  return `${counts.join(', ')}${rest && `; ${rest}`}.`;
}

/** The same of two accounts: what is only here, only there, and what differs. */
export function summaryOfAccounts(
  { changes, matches }: Plan,
  { from, to }: { from: string; to: string },
): string {
  const count = (action: ChangeAction) => changes.filter((change) => change.action === action).length;
  const parts = [
    [count('create'), `only in ${from} (+)`],
    [count('delete'), `only in ${to} (-)`],
    [count('update'), `different (~: ${to} → ${from})`],
    [matches.size - count('update'), 'alike'],
  ] as const;
  const told = parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number.toLocaleString('en-US')} ${what}`);
  return `${told.join(', ') || 'Neither has any record'}.`;
}

const signs: Record<ChangeAction, string> = { create: '+', update: '~', delete: '-' };
const styles = { create: 'green', update: 'yellow', delete: 'red' } as const;

export function planText(changes: readonly Change[], { width, colour }: Page): string {
  const paint = painter(colour);
  const lines = changes.flatMap((change) => changeLines(change, paint, width));
  return lines.map((line) => `${line}\n`).join('');
}

function changeLines(
  { action, resource, key, fields, links }: Change,
  paint: Paint,
  width: number,
): string[] {
  const head = paint[styles[action]](cut(`${signs[action]} ${resource.one} ${key}`, width));
  const names = Object.keys(fields).map((name) => displayWidth(name));
  const column = Math.min(28, Math.max(0, ...names));
  const own = Object.entries(fields).map(([name, change]) =>
    cut(`    ${name.padEnd(column)}  ${changeText(change, action)}`, width),
  );
  const linked = links.map((link) => {
    const held = Object.entries(link.fields).map(
      ([name, change]) => `${name} ${changeText(change, link.action)}`,
    );
    const line = `    ${signs[link.action]} ${link.link} ${link.key}  ${link.action === 'delete' ? '' : held.join(', ')}`;
    return paint[styles[link.action]](cut(line.trimEnd(), width));
  });
  return [head, ...own, ...linked];
}

function changeText({ old, new: next }: FieldChange, action: ChangeAction): string {
  return action === 'create' ? valueText(next) : `${valueText(old)} → ${valueText(next)}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map(itemText).join(', ');
  return itemText(value);
}

function itemText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(line: string, width: number): string {
  return truncate(cleanLine(line), Math.max(20, width));
}
