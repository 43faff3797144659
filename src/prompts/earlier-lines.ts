/** Compares the lines of a record with those of an earlier record, such as two counts of one branch. */
import { Failure } from '../base/errors.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Context } from '../context/context.ts';
import { filterOnSame } from '../contract/filter.ts';
import { shownWithInclude } from '../contract/include.ts';
import { type BodyField, type Operation, operation as operationOf } from '../contract/operation.ts';
import { titleOf } from '../output/wording.ts';
import { note } from '../terminal/messages.ts';
import { numeral } from '../terminal/numeral.ts';
import { write } from '../terminal/streams.ts';
import { renderTable } from '../terminal/table.ts';
import type { Answer } from './answer.ts';

/** The numbers of the earlier record. */
export interface EarlierLines {
  /** The title and day of the record: `IC-0009 of 2026-11-20`. */
  what: string;
  /** The number of each line by the id of its item. */
  numbers: ReadonlyMap<string, number>;
}

/**
 * Returns the numbers of the latest earlier record. `sameId` is the id or look-up of the record that both have in
 * common, such as the branch; the record `ownId` is ignored. Returns undefined if there is no earlier record or the
 * token may not read it: the numbers are only for comparison.
 */
export async function earlierLines(
  context: Context,
  { resource }: Operation,
  { field, shown }: BodyField,
  { sameId, ownId }: { sameId: string; ownId?: string | undefined },
): Promise<EarlierLines | undefined> {
  const { previous: earlier, amount = '' } = field.traits;
  const list = operationOf(resource, 'list');
  const filter = earlier && filterOnSame(resource.filters, earlier);
  if (!earlier || !list || !filter) return undefined;
  try {
    const session = await context.session();
    const filters = { ...earlier.filters, [filter.name]: sameId };
    const optional = shownWithInclude(resource, [shown]);
    const query = await session.resolveFilters(resource, { filters, optional });
    const rows = await firstAndLastPage(session, { operation: list, query });
    const dayOf = (row: Row) => String(row[earlier.day] ?? row.created_at ?? '');
    const latest = rows
      .filter(({ id }) => String(id) !== ownId)
      .reduce<Row | undefined>((one, other) => (one && dayOf(one) >= dayOf(other) ? one : other), undefined);
    if (!latest) return undefined;
    const lines = Array.isArray(latest[shown]) ? latest[shown].filter(isRow) : [];
    const numbers = lines.flatMap(({ id, pivot }) => {
      const number = isRow(pivot) ? Number(pivot[amount] ?? Number.NaN) : Number.NaN;
      return Number.isNaN(number) ? [] : [[String(id), number] as const];
    });
    const day = dayOf(latest).slice(0, 10);
    return { what: `${titleOf(latest)}${day === '' ? '' : ` of ${day}`}`, numbers: new Map(numbers) };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return undefined;
  }
}

type Session = Awaited<ReturnType<Context['session']>>;
type ListCall = Parameters<Session['list']>[0];

/** Reads both ends of a list: the document doesn't say whether the oldest or the newest record is first. */
async function firstAndLastPage(session: Session, call: ListCall): Promise<Row[]> {
  const first = session.list(call, { isFirstPageOnly: true });
  const rows = await Array.fromAsync(first.rows());
  const { lastPage = 1 } = first.facts();
  if (lastPage <= 1) return rows;
  const last = session.list({ ...call, query: { ...call.query, page: lastPage } }, { isFirstPageOnly: true });
  return [...rows, ...(await Array.fromAsync(last.rows()))];
}

/** Differences in the table; the others are counted. */
const maxShownRows = 15;

interface Difference extends Row {
  name: string;
  before: number;
  now: number;
  difference: number;
  cost: number | undefined;
}

/** Writes a table of the differences from the earlier lines, largest first. */
export async function writeDifferences(
  { streams }: Context,
  { field }: BodyField,
  { value, found = [] }: Answer,
  earlier: EarlierLines | undefined,
): Promise<void> {
  const { previous: comparison, amount = '' } = field.traits;
  if (!comparison?.difference) return;
  if (!earlier) {
    note(streams, `No ${comparison.label} to compare with. ${comparison.difference.note}`);
    return;
  }
  const { cost, note: limitation } = comparison.difference;
  const links = Array.isArray(value) ? value.filter(isRow) : [];
  const differences = links.flatMap((link): Difference[] => {
    const [id, now] = [String(link.id), Number(link[amount])];
    const before = earlier.numbers.get(id);
    if (before === undefined || Number.isNaN(now) || before === now) return [];
    const one = found.find((it) => it.id === id);
    const difference = exact(now - before);
    const each = Number(one?.record?.[cost] ?? Number.NaN);
    const value = Number.isNaN(each) ? undefined : exact(difference * each);
    return [{ name: one?.label ?? id, before, now, difference, cost: value }];
  });
  const weight = (one: Difference) => Math.abs(one.cost ?? one.difference);
  const shown = differences.toSorted((one, other) => weight(other) - weight(one)).slice(0, maxShownRows);
  const known = links.filter(({ id }) => earlier.numbers.has(String(id)));
  const counted = new Set(links.map(({ id }) => String(id)));
  const rest = [
    [differences.length - shown.length, 'more differ'],
    [known.length - differences.length, 'unchanged'],
    [links.length - known.length, 'new'],
    [[...earlier.numbers.keys()].filter((id) => !counted.has(id)).length, 'missing'],
  ] as const;
  const counts = rest.flatMap(([count, words]) => (count > 0 ? [`${numeral(count)} ${words}`] : []));
  note(
    streams,
    `Compared with the ${comparison.label}, ${earlier.what}: ${counts.join(', ') || 'all differ'}.`,
  );
  if (shown.length > 0) {
    const { text } = renderTable(columns, shown, {
      width: streams.columns,
      color: streams.color.err,
      unicode: streams.unicode,
      isolate: streams.isTerminal.err && streams.unicode,
    });
    await write(streams.stderr, text);
  }
  note(streams, limitation);
}

const number = { align: 'right', rank: 1 } as const;
const withSign = (value: unknown) => (Number(value) > 0 ? `+${value}` : String(value));

const columns = [
  { name: 'name', header: 'item', rank: 0, least: 12 },
  { name: 'before', ...number },
  { name: 'now', ...number },
  { name: 'difference', ...number, show: withSign },
  { name: 'cost', header: 'at cost', ...number, rank: 2, show: withSign },
];

/** Removes floating-point error by rounding to 4 digits. */
function exact(value: number): number {
  return Number(value.toFixed(4));
}
