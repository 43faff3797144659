/** Shows the changes of a plan or a comparison: as data, as text for people, and as Markdown for reviews of pull requests. */

import type { FieldChange } from '../../../account/session/diff/fields.ts';
import { exitCodes } from '../../../base/errors.ts';
import { redact } from '../../../base/redaction.ts';
import { shortenValue } from '../../../base/short-value.ts';
import { formatCount } from '../../../base/shown-items.ts';
import type { AccountComparison } from '../../../engine/manifest/comparison/compare-accounts.ts';
import { type ChangeAction, changeRecord, type Difference } from '../../../engine/manifest/plan/change.ts';
import type { ManifestPlan } from '../../../engine/manifest/plan/make-plan.ts';
import type { Action } from '../../../engine/runs/ledger/row.ts';
import type { PlanWords } from '../../../engine/runs/ledger/saved-plan.ts';
import type { DisplayOptions, Result } from '../../output/result.ts';
import { cleanLine, spaceAfter } from '../../terminal/clean.ts';
import { createPaint } from '../../terminal/color.ts';
import { escapeMarkdown, formatMarkdownCode, formatMarkdownRow } from '../../terminal/formats/markdown.ts';
import { displayWidth, pad, wrapWords } from '../../terminal/width.ts';
import { summarizePlan } from '../bulk/show-plan.ts';

/** Returns the changes of a plan: manifest records for programs, and text for people. */
export function changesResult({
  changes,
  notCompared,
}: {
  changes: readonly Difference[];
  notCompared: readonly string[];
}): Result {
  return {
    kind: 'data',
    data: {
      changes: changes.map(changeRecord),
      ...(notCompared.length > 0 && { not_compared: notCompared }),
    },
    text: createChangesFormatter(changes),
    markdown: () => formatPlanMarkdown(changes, notCompared),
  };
}

/** Counts the records of a plan by action. A record and its links count as one. */
export function countRecords({ changes, matches }: ManifestPlan): {
  counts: Map<Action, number>;
  unchanged: number;
} {
  const counts = new Map<Action, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  const declaredMatches = matches.keys().filter(({ isAbsent }) => !isAbsent);
  return { counts, unchanged: [...declaredMatches].length - (counts.get('update') ?? 0) };
}

/** Returns the wording for a plan of files. `label` names the files. */
export function planWordsFor({ notCompared }: ManifestPlan, label: string): PlanWords {
  return {
    label: shortenValue(label),
    resource: { noun: 'record', nouns: 'records' },
    unchanged: notCompared.length === 0 ? 'unchanged' : 'unchanged in the compared data',
  };
}

/** Returns the summary of a plan that isn't applied. */
export function summarizeManifestPlan(plan: ManifestPlan, label: string): string {
  const records = countRecords(plan);
  const total = plan.changes.length + records.unchanged;
  return summarizePlan({ ...records, excluded: 0, total }, planWordsFor(plan, label));
}

/** The help text for the exit codes of `comparedExitCode`. */
export const comparedExitCodesHelp =
  'exit with 10 if there are changes, or with 9 if there are no changes but something could not be compared';

/** Returns the exit code of a comparison: 10 for differences, 9 if something could not be compared, otherwise 0. */
export function comparedExitCode({
  changes,
  notCompared,
}: {
  changes: readonly unknown[];
  notCompared: readonly string[];
}): number {
  if (changes.length > 0) return exitCodes.differences;
  return notCompared.length > 0 ? exitCodes.partial : 0;
}

/** Returns the result of comparing two accounts: the differences, and the data that could not be compared. */
export function comparisonResult(
  { changes, same, notCompared }: AccountComparison,
  names: { from: string; to: string },
): Result {
  return {
    kind: 'data',
    data: { changes: changes.map(changeRecord), not_compared: notCompared },
    text: createChangesFormatter(changes),
    markdown: () => formatPlanMarkdown(changes, notCompared),
    notes: [...notCompared, summarizeAccounts({ changes, same, notCompared }, names)],
  };
}

/** Returns the numbers of records in only one account, of different records, and of identical records. */
function summarizeAccounts(
  { changes, same, notCompared }: AccountComparison,
  { from, to }: { from: string; to: string },
): string {
  const countChanges = (action: ChangeAction) => changes.filter((change) => change.action === action).length;
  const parts = [
    [countChanges('create'), `only in ${from} (+)`],
    [countChanges('delete'), `only in ${to} (-)`],
    [countChanges('update'), `different (~: ${to} → ${from})`],
    [same, notCompared.length === 0 ? 'identical' : 'identical in the compared fields'],
  ] as const;
  const nonZeroParts = parts
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${formatCount(count)} ${label}`);
  return `${nonZeroParts.join(', ') || 'Neither account has records'}.`;
}

/** Returns a function that formats changes as text for a page. */
export function createChangesFormatter(changes: readonly Difference[]): (display: DisplayOptions) => string {
  return (display) => (changes.length === 0 ? '' : formatPlan(changes, display));
}

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

/** Returns a line with the counts, and a table with a row for each changed field. */
function formatPlanMarkdown(changes: readonly Difference[], notCompared: readonly string[]): string {
  const notes = notCompared.map((message) => `- ${escapeMarkdown(message)}\n`).join('');
  const notesText = notes === '' ? '' : `\n${notes}`;
  if (changes.length === 0) return `**No changes.**\n${notesText}`;
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count > 0 ? [`${count} to ${action}`] : [];
  });
  const header = formatMarkdownRow(['', 'record', 'field', 'before', 'after']);
  const rows = changes.flatMap(rowsOf).map(formatMarkdownRow).join('');
  return `**${counts.join(', ')}**\n${notesText}\n${header}${formatMarkdownRow(Array(5).fill('---'))}${rows}`;
}

function rowsOf({ action, resource, key, title, fields, links, expanded = {} }: Difference): string[][] {
  const label = `${escapeMarkdown(resource.noun)} ${formatCode(key)}${title === undefined ? '' : ` (${formatCode(title)})`}`;
  const describeSource = (name: string) =>
    Object.hasOwn(expanded, name)
      ? ` (from ${expanded[name]?.map((variable) => formatCode(`$${variable}`)).join(', ')})`
      : '';
  const fieldRows = Object.entries(fields).map(([name, change]) =>
    valueRow(formatCode(name), change, action, describeSource(name)),
  );
  const linkRows = links.flatMap(({ action: linkAction, link, key: linkKey, fields: linkFields }) => {
    const linkLabel = `${linkAction} ${formatCode(link)} ${formatCode(linkKey)}`;
    const values = linkAction === 'delete' ? [] : Object.entries(linkFields);
    if (values.length === 0) return [[linkLabel, '', '']];
    return values.map(([name, change]) =>
      valueRow(`${linkLabel} ${formatCode(name)}`, change, linkAction, describeSource(link)),
    );
  });
  const rows = [...fieldRows, ...linkRows];
  // Only the first row of a record has its name.
  return (rows.length > 0 ? rows : [['', '', '']]).map((row, index) => [
    ...(index === 0 ? [action, label] : ['', '']),
    ...row,
  ]);
}

function valueRow(
  name: string,
  { old: oldValue, new: newValue }: FieldChange,
  action: ChangeAction,
  source: string,
): string[] {
  const before = action === 'create' ? '' : formatCode(formatValue(oldValue));
  return [name, before, formatCode(formatValue(newValue)) + source];
}

/** Returns text as Markdown code. Redacts secrets first, because redaction can't find them in escaped text. */
function formatCode(text: string): string {
  return formatMarkdownCode(redact(text));
}
