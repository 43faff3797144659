/** The changes of a plan as text: a line for each record, and its changed fields below. Loaded if there are any. */
import { redacted } from '../../base/redaction.ts';
import type { ChangeAction, Difference } from '../../manifest/plan/change.ts';
import type { Page } from '../../output/result.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import { cleanLine as cleaned } from '../../terminal/clean.ts';
import { painter } from '../../terminal/color.ts';
import { spaceBehind } from '../../terminal/isolate.ts';
import { displayWidth, pad, wrapped } from '../../terminal/width.ts';

const signs: Record<ChangeAction, string> = { create: '+', update: '~', delete: '-' };
const styles = { create: 'green', update: 'yellow', delete: 'red' } as const;

/** Returns all changes as text. On a terminal long lines are wrapped at spaces. */
export function planText(changes: readonly Difference[], page: Page): string {
  return changes
    .flatMap((change) => changeLines(change, page))
    .map((line) => `${line}\n`)
    .join('');
}

/** Redacts secrets before a line is wrapped, which would split them. */
const cleanLine = (text: string): string => cleaned(redacted(text));

const [own, further] = ['    ', '        '];

function changeLines(
  { action, resource, key, title, fields, links, expanded = {} }: Difference,
  page: Page,
): string[] {
  const sources = (name: string) =>
    Object.hasOwn(expanded, name)
      ? ` (from ${expanded[name]?.map((variable) => `$${variable}`).join(', ')})`
      : '';
  const paint = painter(page.color);
  const head = `${signs[action]} ${resource.one} ${key}${title === undefined ? '' : ` (${title})`}`;
  const names = Object.keys(fields).map((name) => displayWidth(name));
  const column = Math.min(28, Math.max(0, ...names));
  const changed = Object.entries(fields).flatMap(([name, change]) =>
    fieldLines(pad(name, column), changeText(change, action, page) + sources(name), page),
  );
  const linked = links.flatMap((link) => {
    const held = Object.entries(link.fields).map(
      ([name, change]) => `${name} ${changeText(change, link.action, page)}`,
    );
    const what = link.action === 'delete' || held.length === 0 ? '' : `  ${held.join(', ')}`;
    const from = link.action === 'delete' ? '' : sources(link.link);
    const line = `${own}${signs[link.action]} ${link.link} ${link.key}${what}${from}`;
    return broken(cleanLine(line), page).map(paint[styles[link.action]]);
  });
  return [...broken(cleanLine(head), page).map(paint[styles[action]]), ...changed, ...linked];
}

/** Returns the lines of a field. A value that doesn't fit beside its name goes below it. */
function fieldLines(name: string, text: string, page: Page): string[] {
  const value = cleanLine(text);
  const line = `${own}${name}  ${value}`;
  if (fits(line, page)) return [line];
  return [`${own}${name.trimEnd()}`, ...below(value, page)];
}

function broken(line: string, page: Page): string[] {
  if (fits(line, page)) return [line];
  const [first = '', ...rest] = wrapped(line, page.width);
  return [first, ...(rest.length > 0 ? below(rest.join(' '), page) : [])];
}

function below(text: string, { width }: Page): string[] {
  return wrapped(text, width - further.length).map((line) => further + line);
}

function fits(line: string, { isWindow, width }: Page): boolean {
  return !isWindow || displayWidth(line) <= width;
}

function changeText({ old, new: next }: FieldChange, action: ChangeAction, { isWindow }: Page): string {
  if (action === 'create') return valueText(next);
  const before = valueText(old);
  return `${before}${isWindow ? spaceBehind(before) : ' '}→ ${valueText(next)}`;
}

/** Returns a value as text: `–` for none, links and parts by what they are called. */
export function valueText(value: unknown): string {
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
