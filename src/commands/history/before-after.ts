/** One write for people: who sent it and when, and a table of its fields before, after and now. */
import type { Api } from '../../contract/api.ts';
import type { Entry } from '../../history/journal/entry.ts';
import type { Page } from '../../output/result.ts';
import { isRow } from '../../session/row.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { type ShownEntry, whatOf } from './shown-entry.ts';

export async function tabulated(entry: Entry, shown: ShownEntry, api: Api, page: Page): Promise<string> {
  const { renderTable } = await import('../../terminal/table.ts');
  const [before, after, now] = [shown.before, shown.after, shown.now].map((value) =>
    isRow(value) ? value : {},
  );
  const rows = namesOf(entry, shown).map((name) => ({
    field: name,
    before: before?.[name],
    after: after?.[name] ?? givenOf(shown, name),
    now: now?.[name],
  }));
  const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const columns = [
    { name: 'field', whole: true },
    { name: 'before', show },
    { name: 'after', show },
    { name: 'now', show },
  ];
  const table = rows.length === 0 ? '' : renderTable(columns, rows, page).text;
  return [...headOf(entry, shown, api).map(cleanLine), table].join('\n');
}

function headOf(entry: Entry, shown: ShownEntry, api: Api): string[] {
  const who = [shown.user, shown.profile && `profile ${shown.profile}`, shown.business]
    .filter(Boolean)
    .join(', ');
  const missing = [
    shown.before_missing !== null && `Before: not known: ${shown.before_missing}`,
    typeof shown.now_missing === 'string' && `Now: ${shown.now_missing}`,
  ].filter((line) => line !== false);
  return [
    `${entry.number}: ${whatOf(entry, api)}, ${shown.outcome}`,
    `${shown.at} (UTC)${who === '' ? '' : ` by ${who}`}`,
    shown.command ?? '(forgotten)',
    ...(shown.error ? [`${shown.error.category}: ${shown.error.message}`] : []),
    ...missing,
    '',
  ];
}

/** The fields that it is about; of a record that came or went, those that it had. */
function namesOf(entry: Entry, { verb, before, after }: ShownEntry): readonly string[] {
  if (entry.fields.length > 0 && verb !== 'delete' && verb !== 'restore') return entry.fields;
  const record = isRow(before) ? before : isRow(after) ? after : {};
  return [...new Set([...entry.fields, ...Object.keys(record).filter((name) => record[name] != null)])];
}

/** What was sent stands for what the service didn't answer. */
function givenOf({ request }: ShownEntry, name: string): unknown {
  const body = isRow(request?.body) ? request.body : {};
  return body[name] ?? body[`${name}_id`];
}
