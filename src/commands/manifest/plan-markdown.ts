/** The changes of a plan as Markdown, for the review of a pull request. Loaded if it is asked for. */
import { redacted } from '../../base/redaction.ts';
import type { ChangeAction, Difference } from '../../manifest/plan/change.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import { markdownCode, markdownRow, markdownText } from '../../terminal/formats/markdown.ts';
import { valueText } from './plan-text.ts';

/** Returns a table with a row for each changed field, below a line with the counts. */
export function planMarkdown(changes: readonly Difference[], notCompared: readonly string[]): string {
  const notes = notCompared.map((sentence) => `- ${markdownText(sentence)}\n`).join('');
  const above = notes === '' ? '' : `\n${notes}`;
  if (changes.length === 0) return `**No changes.**\n${above}`;
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count > 0 ? [`${count} to ${action}`] : [];
  });
  const head = markdownRow(['', 'record', 'field', 'before', 'after']);
  const rows = changes.flatMap(rowsOf).map(markdownRow).join('');
  return `**${counts.join(', ')}**\n${above}\n${head}${markdownRow(Array(5).fill('---'))}${rows}`;
}

function rowsOf({ action, resource, key, title, fields, links, expanded = {} }: Difference): string[][] {
  const called = `${markdownText(resource.noun)} ${code(key)}${title === undefined ? '' : ` (${code(title)})`}`;
  const source = (name: string) =>
    Object.hasOwn(expanded, name)
      ? ` (from ${expanded[name]?.map((each) => code(`$${each}`)).join(', ')})`
      : '';
  const own = Object.entries(fields).map(([name, change]) =>
    valueRow(code(name), change, action, source(name)),
  );
  const linked = links.flatMap(({ action: done, link, key: other, fields: held }) => {
    const what = `${done} ${code(link)} ${code(other)}`;
    const values = done === 'delete' ? [] : Object.entries(held);
    if (values.length === 0) return [[what, '', '']];
    return values.map(([name, change]) => valueRow(`${what} ${code(name)}`, change, done, source(link)));
  });
  const all = [...own, ...linked];
  // Only the first row of the record has the name.
  return (all.length > 0 ? all : [['', '', '']]).map((row, at) => [
    ...(at === 0 ? [action, called] : ['', '']),
    ...row,
  ]);
}

function valueRow(
  name: string,
  { old, new: next }: FieldChange,
  action: ChangeAction,
  source: string,
): string[] {
  const before = action === 'create' ? '' : code(valueText(old));
  return [name, before, code(valueText(next)) + source];
}

/** Redacts secrets before a value is escaped, which would hide them from the redaction. */
function code(text: string): string {
  return markdownCode(redacted(text));
}
