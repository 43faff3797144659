/** Formats the changes of a plan as text: a line for each record, followed by its changed fields. */
import { redact } from '../../base/redaction.ts';
import type { ChangeAction, Difference } from '../../manifest/plan/change.ts';
import type { DisplayOptions } from '../../output/result.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { createPaint } from '../../terminal/color.ts';
import { spaceAfter } from '../../terminal/isolate.ts';
import { displayWidth, pad, wrapWords } from '../../terminal/width.ts';

const signs: Record<ChangeAction, string> = { create: '+', update: '~', delete: '-' };
const styles = { create: 'green', update: 'yellow', delete: 'red' } as const;

/** Returns all changes as text. On a terminal long lines are wrapped at spaces. */
export function formatPlan(changes: readonly Difference[], display: DisplayOptions): string {
  return changes
    .flatMap((change) => formatDifference(change, display))
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns a line that is safe to print. Redacts secrets before the line is wrapped, because wrapping could split them. */
const redactAndClean = (text: string): string => cleanLine(redact(text));

const [indent, continuationIndent] = ['    ', '        '];

function formatDifference(
  { action, resource, key, title, fields, links, expanded = {} }: Difference,
  display: DisplayOptions,
): string[] {
  const sourcesOf = (name: string) =>
    Object.hasOwn(expanded, name)
      ? ` (from ${expanded[name]?.map((variable) => `$${variable}`).join(', ')})`
      : '';
  const paint = createPaint(display.color);
  const header = `${signs[action]} ${resource.one} ${key}${title === undefined ? '' : ` (${title})`}`;
  const nameWidths = Object.keys(fields).map((name) => displayWidth(name));
  const nameWidth = Math.min(28, Math.max(0, ...nameWidths));
  const fieldRows = Object.entries(fields).flatMap(([name, change]) =>
    formatField(pad(name, nameWidth), formatChange(change, action, display) + sourcesOf(name), display),
  );
  const linkRows = links.flatMap((link) => {
    const linkFields = Object.entries(link.fields).map(
      ([name, change]) => `${name} ${formatChange(change, link.action, display)}`,
    );
    const fieldsText =
      link.action === 'delete' || linkFields.length === 0 ? '' : `  ${linkFields.join(', ')}`;
    const sourceText = link.action === 'delete' ? '' : sourcesOf(link.link);
    const line = `${indent}${signs[link.action]} ${link.link} ${link.key}${fieldsText}${sourceText}`;
    return wrapLine(redactAndClean(line), display).map(paint[styles[link.action]]);
  });
  return [...wrapLine(redactAndClean(header), display).map(paint[styles[action]]), ...fieldRows, ...linkRows];
}

/** Returns the lines of a field. A value that doesn't fit next to its name is placed below it. */
function formatField(name: string, text: string, display: DisplayOptions): string[] {
  const value = redactAndClean(text);
  const line = `${indent}${name}  ${value}`;
  if (fitsWindow(line, display)) return [line];
  return [`${indent}${name.trimEnd()}`, ...indentLines(value, display)];
}

function wrapLine(line: string, display: DisplayOptions): string[] {
  if (fitsWindow(line, display)) return [line];
  const [firstLine = '', ...remainingLines] = wrapWords(line, display.width);
  return [firstLine, ...(remainingLines.length > 0 ? indentLines(remainingLines.join(' '), display) : [])];
}

function indentLines(text: string, { width }: DisplayOptions): string[] {
  return wrapWords(text, width - continuationIndent.length).map((line) => continuationIndent + line);
}

function fitsWindow(line: string, { isTerminal, width }: DisplayOptions): boolean {
  return !isTerminal || displayWidth(line) <= width;
}

function formatChange(
  { old: oldValue, new: newValue }: FieldChange,
  action: ChangeAction,
  { isTerminal }: DisplayOptions,
): string {
  if (action === 'create') return formatValue(newValue);
  const before = formatValue(oldValue);
  return `${before}${isTerminal ? spaceAfter(before) : ' '}→ ${formatValue(newValue)}`;
}

/** Returns a value as text: `–` for a missing value, and the names of links and parts. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map(formatItem).join(', ');
  return formatItem(value);
}

/** Returns a link or a part as text: its name, followed by its other values in parentheses. */
function formatItem(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const [firstEntry, ...otherEntries] = Object.entries(value);
  if (!firstEntry || typeof firstEntry[1] !== 'string') return JSON.stringify(value);
  const otherValues = otherEntries.map(([name, inner]) => `${name} ${formatValue(inner)}`);
  return otherValues.length === 0 ? firstEntry[1] : `${firstEntry[1]} (${otherValues.join(', ')})`;
}
