/** `boh history`: lists writes, and shows, verifies, exports and deletes them; `boh blame` shows who set each field. */

import { relationsToInclude } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import { endpointName } from '../../../account/settings/settings.ts';
import type { Api } from '../../../api/contract/api.ts';
import { operation } from '../../../api/contract/operation.ts';
import { redactorOf } from '../../../api/contract/redaction.ts';
import { exitCodes, Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { timeInZone } from '../../../base/local-time-zone.ts';
import { formatCount, truncateItems } from '../../../base/shown-items.ts';
import { lastWrites } from '../../../engine/history/blame.ts';
import type { Entry } from '../../../engine/history/journal/entry.ts';
import type { Journal } from '../../../engine/history/journal/journal.ts';
import {
  countOf,
  type EntryFilter,
  entries,
  entryNumbered,
} from '../../../engine/history/journal/reading.ts';
import { verify } from '../../../engine/history/maintenance/verify.ts';
import type { Context } from '../../context/context.ts';
import { chooseFormat } from '../../output/choose-format.ts';
import { type DisplayOptions, messageResult, type Result } from '../../output/result.ts';
import { findRecord } from '../../prompts/find-record.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { renderTable } from '../../terminal/table.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import {
  describeWrite,
  type EntryJson,
  entryFlags,
  entryToJson,
  parseEntryFilter,
  pickWrite,
  writeCells,
} from './entries.ts';
import { forgetCommand, pruneCommand } from './forget.ts';
import { openHistory } from './open-history.ts';

const historyFlags = [
  ...entryFlags,
  ...under('Entries:', [
    ['--limit <number>', 'at most this many entries'],
    ['--all', 'all entries, also on a terminal'],
  ]),
] as const;

type HistoryFlags = FlagsOf<typeof historyFlags>;

/** Returns the command `boh history` with its subcommands. */
export function historyCommand(context: Context): Command {
  return createCommand(context, {
    name: 'history',
    about:
      'List the writes of boh from this machine, newest first, with time, user and earlier values. On a terminal, only the first page is shown.',
    args: [
      ['[resource]', 'only writes to this resource'],
      ['[id]', 'only writes to this record: its ID, or @NAME'],
    ],
    usage: '[resource [id]] [flags]',
    flags: historyFlags,
    examples: ['boh history inventory-items @SKU-001', 'boh history --since 7d --field cost'],
    subcommands: [
      createCommand(context, {
        name: 'show',
        summary: 'Show the fields of a write: before, after and now',
        about: 'Show the fields of a write: the values before it, after it, and now.',
        args: [['[number]', 'the number of the write in boh history; omit to be prompted']],
        usage: '[number] [flags]',
        examples: ['boh history show 42', 'boh history show 42 -o json'],
        run: ([number]) => showEntry(number, context),
      }),
      createCommand(context, {
        name: 'verify',
        summary: 'Check that the file is intact and no entry is missing',
        about:
          'Check that the file of the history is intact, that every entry can be read, and that none is missing. Deleted and forgotten entries are not missing.',
        examples: ['boh history verify'],
        run: () => verifyHistory(context),
      }),
      createCommand(context, {
        name: 'export',
        summary: 'Print the history as NDJSON',
        about: 'Print the history as NDJSON, newest first.',
        flags: entryFlags,
        examples: [
          'boh history export --since 2026-01-01 > history.ndjson',
          'boh history export --by "Amal Haddad" > amal.ndjson',
        ],
        run: async (_, flags) => {
          const filter = await parseEntryFilter([], flags, context);
          const journal = await openHistory(context);
          return { kind: 'text-stream', chunks: exportLines(journal, filter), end: () => journal?.close() };
        },
      }),
      forgetCommand(context),
      pruneCommand(context),
    ],
    run: (names, flags) => listHistory(names, flags, context),
  });
}

async function* exportLines(journal: Journal | undefined, filter: EntryFilter) {
  if (!journal) return;
  for (const entry of entries(journal, filter)) yield `${JSON.stringify(entryToJson(entry))}\n`;
}

async function verifyHistory(context: Context): Promise<Result> {
  const journal = await openHistory(context);
  if (!journal) return messageResult('No writes yet.');
  const report = verify(journal);
  journal.close();
  const { intact, entries, problems } = report;
  if (intact) return { kind: 'data', data: report, notes: [`The history is intact: ${entries} entries.`] };
  context.exitCode = exitCodes.unavailable;
  const { message, details } = journal.database.damagedFailure();
  return { kind: 'data', data: report, notes: [message, ...truncateItems(problems), details.hint ?? ''] };
}

/** Number of entries on a page, the same as in other lists. */
const entriesPerPage = 50;

const fieldNames = [
  ...['number', 'at', 'run', 'command', 'profile', 'business', 'user', 'resource', 'verb', 'ids', 'fields'],
  ...['outcome', 'error', 'request', 'before', 'before_missing', 'after', 'undoes', 'forgotten'],
];

/** Returns the matching entries; on a terminal only one page. */
async function listHistory(
  names: readonly (string | undefined)[],
  flags: HistoryFlags,
  context: Context,
): Promise<Result> {
  const { limit, all = false } = flags;
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw usage('--limit must be a positive whole number.');
  if (limit !== undefined && all) throw usage("--all and --limit can't be combined.");
  const filter = await parseEntryFilter(names, flags, context);
  const journal = await openHistory(context);
  const maxEntries = limit === undefined ? undefined : Number(limit);
  const isForPeople = (await chooseFormat(context, 'anyone')).isForPeople;
  // Without a terminal a table has all rows, as in other lists.
  const isPage = !all && context.streams.isTerminal.out;
  return {
    kind: 'data',
    data: [],
    streamedRows: displayedEntries(journal, filter, maxEntries),
    columns: fieldNames.map((name) => ({ name })),
    idField: 'number',
    ...(isForPeople &&
      journal &&
      tableDisplay(journal, filter, maxEntries ?? (isPage ? entriesPerPage : undefined), context)),
    emptyNote: journal ? await emptyMessage(names, flags, context) : 'No writes yet.',
  };
}

/** Returns the message for an empty result. It names the account, because each account has a separate history. */
async function emptyMessage(
  [resource]: readonly (string | undefined)[],
  { limit, all, ...filterFlags }: HistoryFlags,
  context: Context,
) {
  const endpoint = endpointName(await context.settings());
  const isFiltered = resource !== undefined || Object.keys(filterFlags).length > 0;
  const message = isFiltered ? 'No matching writes in the history' : 'No writes in the history';
  return endpoint === ''
    ? `${message}.`
    : `${message} of ${endpoint}. For another account: --profile NAME, or --sandbox.`;
}

function* displayedEntries(
  journal: Journal | undefined,
  filter: EntryFilter,
  maxEntries = Number.POSITIVE_INFINITY,
) {
  if (journal) yield* entries(journal, filter).take(maxEntries).map(entryToJson);
}

function tableDisplay(
  journal: Journal,
  filter: EntryFilter,
  maxEntries: number | undefined,
  { api }: Context,
) {
  const pageEntries = [...entries(journal, filter).take(maxEntries ?? Number.POSITIVE_INFINITY)];
  const remainingCount =
    maxEntries !== undefined && pageEntries.length === maxEntries
      ? countOf(journal, filter) - pageEntries.length
      : 0;
  return {
    dataForPeople: () =>
      pageEntries.map((entry) => {
        const { at, user, profile, fields, outcome } = entryToJson(entry);
        return {
          number: entry.number,
          at,
          by: user ?? profile,
          ...writeCells(entry, api),
          fields,
          outcome,
        };
      }),
    // A narrow window keeps the columns `what` and `id`. `history show` prints all fields.
    columns: [
      { name: 'number', align: 'right' as const, isIndivisible: true },
      { name: 'at', isTime: true, header: 'time', isIndivisible: true, rank: 2 },
      { name: 'by', rank: 4 },
      { name: 'what', header: 'write', minWidth: 14 },
      { name: 'id', isIndivisible: true },
      { name: 'fields', rank: 3 },
      { name: 'outcome', isIndivisible: true, rank: 1 },
    ],
    notes:
      remainingCount > 0
        ? [
            `Showing the newest ${pageEntries.length} of ${formatCount(pageEntries.length + remainingCount)} writes. To show all: --all`,
          ]
        : [],
  };
}

async function showEntry(argument: string | undefined, context: Context): Promise<Result> {
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
  return [...formatHeader(entry, entryJson, api, display.timeZone ?? 'UTC').map(cleanLine), table].join('\n');
}

function formatHeader(entry: Entry, entryJson: EntryJson, api: Api, timeZone: string): string[] {
  const author = [entryJson.user, entryJson.profile && `profile ${entryJson.profile}`, entryJson.business]
    .filter(Boolean)
    .join(', ');
  const missingNotes = [
    entryJson.before_missing !== null && `Before: unknown: ${entryJson.before_missing}`,
    typeof entryJson.now_missing === 'string' && `Now: ${entryJson.now_missing}`,
  ].filter((line) => line !== false);
  return [
    `${entry.number}: ${describeWrite(entry, api)}, ${entryJson.outcome}`,
    `${timeInZone(entryJson.at, timeZone)} (${timeZone})${author === '' ? '' : ` by ${author}`}`,
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

export function blameCommand(context: Context): Command {
  return createCommand(context, {
    name: 'blame',
    about:
      'Show which write last set each field of a record. Includes only writes that boh sent from this machine.',
    args: [
      ['<resource>', 'for example inventory-items'],
      ['[id]', 'the ID, or @NAME; omit to be prompted'],
    ],
    usage: '<resource> [id] [flags]',
    examples: ['boh blame inventory-items @SKU-001', 'boh blame customers 42 -o json'],
    run: async ([resourceName, idArgument]) => {
      const id = idArgument ?? (await promptForId(resourceName, context));
      const filter = await parseEntryFilter([resourceName, id], {}, context);
      const journal = await openHistory(context);
      const resource = context.api.resource(filter.resource ?? '');
      const writes =
        journal && resource && filter.id !== undefined ? lastWrites(journal, resource, filter.id) : [];
      return {
        kind: 'data',
        data: writes.map(({ field, entry: { number } }) => ({ field, number })),
        idField: 'number',
        dataForPeople: () =>
          writes.map(({ field, entry }) => {
            const { at, user, profile, command } = entryToJson(entry);
            return { field, number: entry.number, at, by: user ?? profile, command };
          }),
        columns: [
          { name: 'field', isIndivisible: true },
          { name: 'number', align: 'right', isIndivisible: true },
          { name: 'at', isTime: true, header: 'time', isIndivisible: true },
          { name: 'by', rank: 1 },
          { name: 'command', rank: 1, minWidth: 20 },
        ],
        emptyNote: 'No writes of boh to this record from this machine.',
      };
    },
  });
}

/** Prompts for the record and returns its ID. Throws a usage failure if prompts aren't possible. */
async function promptForId(resourceName: string, context: Context): Promise<string> {
  const { resource: name } = await parseEntryFilter([resourceName], {}, context);
  const resource = context.api.resource(name ?? '');
  if (!resource?.list || !canAsk(context))
    throw usage(`boh blame ${resourceName} needs the ID of a record, or @NAME.`, {
      hint: boh.hint`To list the writes to all of them: ${boh.account('history', resourceName)}`,
    });
  const record = await findRecord(context, resource.name, { message: `Which ${resource.noun}?` });
  if (!record) throw usage(`No ${resource.nouns} found.`);
  return record.id;
}
