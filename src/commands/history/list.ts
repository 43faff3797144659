/** `boh history [RESOURCE [ID]]`: lists writes, newest first; on a terminal one page. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { countOf, type EntryFilter, entries } from '../../history/journal/reading.ts';
import { chooseFormat } from '../../output/choose-format.ts';
import type { Result } from '../../output/result.ts';
import { endpointName } from '../../settings/settings.ts';
import type { Command } from '../command.ts';
import { entryToJson, writeCells } from './entry-json.ts';
import { openHistory } from './open-history.ts';
import { addFilterOptions, type EntryFilterFlags, parseEntryFilter } from './parse-filter.ts';

interface Flags extends EntryFilterFlags {
  limit?: string;
  all?: boolean;
}

/** Number of entries on a page, the same as in other lists. */
const entriesPerPage = 50;

const fieldNames = [
  ...['number', 'at', 'run', 'command', 'profile', 'business', 'user', 'resource', 'verb', 'ids', 'fields'],
  ...['outcome', 'error', 'request', 'before', 'before_missing', 'after', 'takes_back', 'forgotten'],
];

/** Adds the flags of `boh history`. */
export function addListFlags(command: Command): void {
  addFilterOptions(command);
  command.group(
    'Entries:',
    new Option('--limit <number>', 'at most this many entries'),
    new Option('--all', 'all entries, also on a terminal'),
  );
}

/** Returns the matching entries; on a terminal only one page. */
export async function listHistory(args: readonly string[], flags: Flags, context: Context): Promise<Result> {
  const { limit, all = false } = flags;
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw usage('--limit must be a positive whole number.');
  if (limit !== undefined && all) throw usage("--all and --limit can't be combined.");
  const filter = await parseEntryFilter(args, flags, context);
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
    emptyNote: journal ? await emptyMessage(args, flags, context) : 'No writes yet.',
  };
}

/** Returns the message for an empty result. It names the account, because each account has a separate history. */
async function emptyMessage(
  args: readonly string[],
  { limit, all, ...filterFlags }: Flags,
  context: Context,
) {
  const endpoint = endpointName(await context.settings());
  const isFiltered = args.length > 0 || Object.keys(filterFlags).length > 0;
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
      { name: 'at', header: 'time', isIndivisible: true, rank: 2 },
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
