/** `boh history show N`: shows the fields of one write, with the values before it, after it, and now. */

import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { operation } from '../../contract/operation.ts';
import { redactorOf } from '../../contract/redaction.ts';
import type { Entry } from '../../history/journal/entry.ts';
import { entryNumbered } from '../../history/journal/reading.ts';
import { createAction } from '../../output/present.ts';
import type { DisplayOptions, Result } from '../../output/result.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import { relationsToInclude } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { renderTable } from '../../terminal/table.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { describeWrite, type EntryJson, entryToJson } from './entry-json.ts';
import { openHistory } from './open-history.ts';
import { pickWrite } from './pick-write.ts';

/** Returns the command `boh history show`. */
export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .argument('[number]', 'the number of the write in boh history; omit to be prompted')
    .usage('[number] [flags]')
    .description('Show the fields of a write: the values before it, after it, and now.')
    .examples('boh history show 42', 'boh history show 42 -o json')
    .action(createAction(context, (number: string | undefined) => run(number, context)));
}

async function run(argument: string | undefined, context: Context): Promise<Result> {
  const isPrompted = argument === undefined && canAsk(context);
  const number = isPrompted ? await pickWriteNumber(context) : (argument ?? '');
  if (number === '')
    throw usage('Missing the number of the entry.', {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  if (!/^[1-9]\d{0,14}$/.test(number))
    throw usage(`Expected the number of an entry, not "${number}".`, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  const journal = await openHistory(context);
  const entry = journal && entryNumbered(journal, Number(number));
  if (!entry)
    throw new Failure('not_found', `Entry ${number} not found in the history.`, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  const currentRecord = await readCurrentRecord(entry, context);
  const entryJson = { ...entryToJson(entry), ...currentRecord };
  return {
    kind: 'data',
    data: entryJson,
    text: (display) => formatEntry(entry, entryJson, context.api, display),
  };
}

async function pickWriteNumber(context: Context): Promise<string> {
  const journal = await openHistory(context);
  try {
    return await pickWrite(journal, context);
  } finally {
    journal?.close();
  }
}

/** Requests the current record. Returns the record, or the reason why it can't be read. */
async function readCurrentRecord(
  { id, resource: name }: Entry,
  context: Context,
): Promise<{ now: Row | null; now_missing: string | null }> {
  const resource = name === null ? undefined : context.api.resource(name);
  const get = resource && operation(resource, 'get');
  if (!get || id === null || context.globals.offline) return { now: null, now_missing: 'not read' };
  const update = operation(resource, 'update');
  const optional = [...(update ? relationsToInclude(update) : [])];
  try {
    const { record } = await (await context.session()).get({
      operation: get,
      ids: [id],
      query: { optional },
    });
    return { now: redactorOf(resource)(record) as Row, now_missing: null };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return { now: null, now_missing: error.message };
  }
}

function formatEntry(entry: Entry, entryJson: EntryJson, api: Api, display: DisplayOptions): string {
  const [before, after, now] = [entryJson.before, entryJson.after, entryJson.now].map((value) =>
    isRow(value) ? value : {},
  );
  const rows = namesOf(entry, entryJson).map((name) => ({
    field: name,
    before: before?.[name],
    after: after?.[name] ?? requestedValue(entryJson, name),
    now: now?.[name],
  }));
  const format = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const columns = [
    { name: 'field', isIndivisible: true },
    { name: 'before', show: format },
    { name: 'after', show: format },
    { name: 'now', show: format },
  ];
  const table = rows.length === 0 ? '' : renderTable(columns, rows, display).text;
  return [...formatHeader(entry, entryJson, api).map(cleanLine), table].join('\n');
}

function formatHeader(entry: Entry, entryJson: EntryJson, api: Api): string[] {
  const author = [entryJson.user, entryJson.profile && `profile ${entryJson.profile}`, entryJson.business]
    .filter(Boolean)
    .join(', ');
  const missingNotes = [
    entryJson.before_missing !== null && `Before: unknown: ${entryJson.before_missing}`,
    typeof entryJson.now_missing === 'string' && `Now: ${entryJson.now_missing}`,
  ].filter((line) => line !== false);
  return [
    `${entry.number}: ${describeWrite(entry, api)}, ${entryJson.outcome}`,
    `${entryJson.at} (UTC)${author === '' ? '' : ` by ${author}`}`,
    entryJson.command ?? '(forgotten)',
    ...(entryJson.change === null ? [] : [`Change set: ${entryJson.change}`]),
    ...(entryJson.error ? [`${entryJson.error.category}: ${entryJson.error.message}`] : []),
    ...missingNotes,
    '',
  ];
}

/** Returns the names of the changed fields. For a delete or restore, the names of all fields with a value. */
function namesOf(entry: Entry, { verb, before, after }: EntryJson): readonly string[] {
  if (entry.fields.length > 0 && verb !== 'delete' && verb !== 'restore') return entry.fields;
  const record = isRow(before) ? before : isRow(after) ? after : {};
  return [...new Set([...entry.fields, ...Object.keys(record).filter((name) => record[name] != null)])];
}

/** Returns the value of a field in the request, for responses that don't contain the field. */
function requestedValue({ request }: EntryJson, name: string): unknown {
  const body = isRow(request?.body) ? request.body : {};
  return body[name] ?? body[`${name}_id`];
}
