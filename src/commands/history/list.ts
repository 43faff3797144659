/** `boh history [RESOURCE [ID]]`: lists writes, newest first; on a terminal one page. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { countOf, type EntryFilter, entries } from '../../history/journal/reading.ts';
import { chosenFormat } from '../../output/chosen-format.ts';
import type { Result } from '../../output/result.ts';
import { endpointName } from '../../settings/settings.ts';
import { numeral } from '../../terminal/numeral.ts';
import type { Command } from '../command.ts';
import { type OpenHistory, openHistory } from './open-history.ts';
import { addFilterOptions, type FilterFlags, readFilter } from './read-filter.ts';
import { shownEntry, whatInShort } from './shown-entry.ts';

interface Flags extends FilterFlags {
  limit?: string;
  all?: boolean;
}

/** Entries on a page, as in other lists. */
const entriesPerPage = 50;

const facts = [
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

/** Returns the entries that match, for people a page of them. */
export async function listHistory(args: readonly string[], flags: Flags, context: Context): Promise<Result> {
  const { limit, all = false } = flags;
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw usage('--limit must be a positive whole number.');
  if (limit !== undefined && all) throw usage("--all and --limit can't be combined.");
  const filter = await readFilter(args, flags, context);
  const history = await openHistory(context, flags);
  const own = { ...filter, accounts: history?.accounts };
  const most = limit === undefined ? undefined : Number(limit);
  const isForPeople = (await chosenFormat(context, 'anyone')).isForPeople;
  // Away from a terminal a table has all rows, as in other lists.
  const isPage = !all && context.streams.isTerminal.out;
  return {
    kind: 'facts',
    facts: [],
    each: shownEntries(history, own, most),
    columns: facts.map((name) => ({ name })),
    key: 'number',
    ...(isForPeople &&
      history &&
      forPeople(history, own, most ?? (isPage ? entriesPerPage : undefined), context)),
    ifNone: history ? await nothingOf(args, flags, context) : 'No writes yet.',
  };
}

/** Returns the message for no entries. It names the account, as each has a history of its own. */
async function nothingOf(args: readonly string[], { limit, all, ...asked }: Flags, context: Context) {
  const place = endpointName(await context.settings());
  const isAsked = args.length > 0 || Object.keys(asked).length > 0;
  const what = isAsked ? 'No matching writes in the history' : 'No writes in the history';
  return place === ''
    ? `${what}.`
    : `${what} of ${place}. For another account: --profile NAME, or --sandbox.`;
}

function* shownEntries(
  history: OpenHistory | undefined,
  filter: EntryFilter,
  most = Number.POSITIVE_INFINITY,
) {
  if (history) yield* entries(history.journal, filter).take(most).map(shownEntry);
}

function forPeople(
  { journal }: OpenHistory,
  filter: EntryFilter,
  most: number | undefined,
  { api }: Context,
) {
  const found = [...entries(journal, filter).take(most ?? Number.POSITIVE_INFINITY)];
  const rest = most !== undefined && found.length === most ? countOf(journal, filter) - found.length : 0;
  return {
    shown: () =>
      found.map((entry) => {
        const { at, user, profile, fields, outcome } = shownEntry(entry);
        return {
          number: entry.number,
          at,
          by: user ?? profile,
          ...whatInShort(entry, api),
          fields,
          outcome,
        };
      }),
    // A narrow window keeps what happened; `history show` has the rest.
    columns: [
      { name: 'number', align: 'right' as const, whole: true },
      { name: 'at', whole: true, rank: 2 },
      { name: 'by', rank: 4 },
      { name: 'what', least: 14 },
      { name: 'id', whole: true },
      { name: 'fields', rank: 3 },
      { name: 'outcome', whole: true, rank: 1 },
    ],
    notes:
      rest > 0
        ? [
            `Showing the newest ${found.length}, and ${numeral(rest)} more exist. For more: --all, or --limit N`,
          ]
        : [],
  };
}
