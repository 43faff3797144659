/** Formats the changes of a plan as Markdown, for reviews of pull requests. It is loaded only for the Markdown format. */
import { redact } from '../../base/redaction.ts';
import type { ChangeAction, Difference } from '../../manifest/plan/change.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import { escapeMarkdown, formatMarkdownCode, formatMarkdownRow } from '../../terminal/formats/markdown.ts';
import { formatValue } from './plan-text.ts';

/** Returns a line with the counts, and a table with a row for each changed field. */
export function formatPlanMarkdown(changes: readonly Difference[], notCompared: readonly string[]): string {
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
