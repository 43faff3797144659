/** The changes of a plan as people read them: a line for each record, below it what changes of it. Loaded where there are any. */
import type { Page } from '../../interaction/output/result.ts';
import type { Change, ChangeAction, FieldChange } from '../../manifest/plan/change.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { displayWidth, truncate } from '../../terminal/width.ts';

const signs: Record<ChangeAction, string> = { create: '+', update: '~', delete: '-' };
const styles = { create: 'green', update: 'yellow', delete: 'red' } as const;

export function planText(changes: readonly Change[], { width, colour }: Page): string {
  const paint = painter(colour);
  const lines = changes.flatMap((change) => changeLines(change, paint, width));
  return lines.map((line) => `${line}\n`).join('');
}

function changeLines(
  { action, resource, key, title, fields, links }: Change,
  paint: Paint,
  width: number,
): string[] {
  const head = paint[styles[action]](
    cut(`${signs[action]} ${resource.one} ${key}${title === undefined ? '' : ` (${title})`}`, width),
  );
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

/** A link or a part by what it is called, with what it holds behind it. */
function itemText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const [first, ...rest] = Object.entries(value);
  if (!first || typeof first[1] !== 'string') return JSON.stringify(value);
  const held = rest.map(([name, inner]) => `${name} ${valueText(inner)}`);
  return held.length === 0 ? first[1] : `${first[1]} (${held.join(', ')})`;
}

function cut(line: string, width: number): string {
  return truncate(cleanLine(line), Math.max(20, width));
}
