/** Compares the lines of a record with those of an earlier record, such as two counts of one branch. */

import { isRow, type Row } from '../../account/client/shape.ts';
import type { ListCall } from '../../account/session/list.ts';
import type { Session } from '../../account/session/session.ts';
import { previousRecordFilter } from '../../api/contract/filter.ts';
import { fieldsToInclude } from '../../api/contract/include.ts';
import { type BodyField, type Operation, operation as operationOf } from '../../api/contract/operation.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { Failure } from '../../base/errors.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../context/context.ts';
import { inferTitle } from '../output/wording.ts';
import { note } from '../terminal/messages.ts';
import { type Streams, write } from '../terminal/streams.ts';
import { renderTable } from '../terminal/table.ts';
import { type Answer, readNames } from './answer.ts';

export interface EarlierLines {
  /** The title and day of the record: `IC-0009 of 2026-11-20`. */
  title: string;
  /** The number of each line by the ID of its item. */
  numbers: ReadonlyMap<string, number>;
}

/**
 * Reads the lines of the latest earlier record. `sharedId` is the ID or lookup of the record that both have in common,
 * such as the branch. The record `recordId` itself is ignored. Returns undefined if there is no earlier record, or if
 * the token may not read it: the numbers are only for comparison.
 */
export async function readEarlierLines(
  context: Context,
  { resource }: Operation,
  { field, responseName }: BodyField,
  { sharedId, recordId }: { sharedId: string; recordId?: string | undefined },
): Promise<EarlierLines | undefined> {
  const { previous, amountField = '' } = field.traits;
  const list = operationOf(resource, 'list');
  const filter = previous && previousRecordFilter(resource.filters, previous);
  if (!previous || !list || !filter) return undefined;
  try {
    const session = await context.session();
    const filters = { ...previous.filters, [filter.name]: sharedId };
    const optional = fieldsToInclude(resource, [responseName]);
    const query = await session.names.resolveFilters(resource, { filters, optional });
    const rows = await readFirstAndLastPage(session, { operation: list, query });
    const dayOf = (row: Row) => String(row[previous.dateField] ?? row.created_at ?? '');
    const latest = rows
      .filter(({ id }) => String(id) !== recordId)
      .reduce<Row | undefined>((last, row) => (last && dayOf(last) >= dayOf(row) ? last : row), undefined);
    if (!latest) return undefined;
    const lines = Array.isArray(latest[responseName]) ? latest[responseName].filter(isRow) : [];
    const numbers = lines.flatMap(({ id, pivot }) => {
      const number = isRow(pivot) ? Number(pivot[amountField] ?? Number.NaN) : Number.NaN;
      return Number.isNaN(number) ? [] : [[String(id), number] as const];
    });
    const day = dayOf(latest).slice(0, 10);
    return { title: `${inferTitle(latest)}${day === '' ? '' : ` of ${day}`}`, numbers: new Map(numbers) };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return undefined;
  }
}

/** Reads both ends of a list: the API document doesn't say whether the oldest or the newest record is first. */
async function readFirstAndLastPage(session: Session, call: ListCall): Promise<Row[]> {
  const first = session.list(call, { isFirstPageOnly: true });
  const rows = await Array.fromAsync(first.rows());
  const { lastPage = 1 } = first.summary();
  if (lastPage <= 1) return rows;
  const last = session.list({ ...call, query: { ...call.query, page: lastPage } }, { isFirstPageOnly: true });
  return [...rows, ...(await Array.fromAsync(last.rows()))];
}

/** The maximum number of differences in the table. The others are counted. */
const maxDisplayedRows = 15;

interface Difference extends Row {
  name: string;
  before: number;
  now: number;
  difference: number;
  cost: number | undefined;
}

/** Writes a table of the differences from the earlier lines, largest first. */
export async function writeDifferences(
  context: Context,
  entry: BodyField,
  answer: Answer,
  earlier: EarlierLines | undefined,
): Promise<void> {
  const { streams } = context;
  const { previous, replaces, amountField = '' } = entry.field.traits;
  if (replaces !== undefined) return writeReplacements(context, entry, answer, replaces);
  const { value, records = [] } = answer;
  if (!previous?.difference) return;
  if (!earlier) {
    note(streams, `No ${previous.label} to compare with. ${previous.difference.note}`);
    return;
  }
  const { costField, note: limitation } = previous.difference;
  const links = Array.isArray(value) ? value.filter(isRow) : [];
  const differences = links.flatMap((link): Difference[] => {
    const [id, now] = [String(link.id), Number(link[amountField])];
    const before = earlier.numbers.get(id);
    if (before === undefined || Number.isNaN(now) || before === now) return [];
    const record = records.find((candidate) => candidate.id === id);
    const difference = roundTo4Digits(now - before);
    const unitCost = Number(record?.record?.[costField] ?? Number.NaN);
    const differenceCost = Number.isNaN(unitCost) ? undefined : roundTo4Digits(difference * unitCost);
    return [{ name: record?.label ?? id, before, now, difference, cost: differenceCost }];
  });
  const magnitude = ({ cost, difference }: Difference) => Math.abs(cost ?? difference);
  const displayedRows = differences
    .toSorted((a, b) => magnitude(b) - magnitude(a))
    .slice(0, maxDisplayedRows);
  const comparedLinks = links.filter(({ id }) => earlier.numbers.has(String(id)));
  const ids = new Set(links.map(({ id }) => String(id)));
  const otherCounts = [
    [differences.length - displayedRows.length, 'more differ'],
    [comparedLinks.length - differences.length, 'unchanged'],
    [links.length - comparedLinks.length, 'new'],
    [[...earlier.numbers.keys()].filter((id) => !ids.has(id)).length, 'missing'],
  ] as const;
  const counts = otherCounts.flatMap(([count, words]) =>
    count > 0 ? [`${formatCount(count)} ${words}`] : [],
  );
  note(
    streams,
    `Compared with the ${previous.label}, ${earlier.title}: ${counts.join(', ') || 'all differ'}.`,
  );
  if (displayedRows.length > 0) await writeTable(streams, columns, displayedRows);
  note(streams, limitation);
}

const numberColumn = { align: 'right', rank: 1 } as const;
const formatSigned = (value: unknown) => (Number(value) > 0 ? `+${value}` : String(value));

const columns = [
  { name: 'name', header: 'item', rank: 0, minWidth: 12 },
  { name: 'before', ...numberColumn },
  { name: 'now', ...numberColumn },
  { name: 'difference', ...numberColumn, show: formatSigned },
  { name: 'cost', header: 'at cost', ...numberColumn, rank: 2, show: formatSigned },
];

const replacementColumns = [
  ...columns.slice(0, 3),
  { name: 'percent', header: 'change', ...numberColumn, show: (value: unknown) => `${formatSigned(value)}%` },
];

/** Writes a table of the values that the lines replace, the largest change first. */
async function writeReplacements(
  context: Context,
  { field: { traits } }: BodyField,
  { value, records = [] }: Answer,
  replaces: string,
): Promise<void> {
  const { streams } = context;
  const { amountField = '', target = '' } = traits;
  const lines = Array.isArray(value) ? value.filter(isRow) : [];
  const unread = records.filter(({ record }) => record?.[replaces] === undefined).map(({ id }) => id);
  const found = unread.length > 0 ? await readNames(await context.session(), target, unread) : [];
  const rows = lines.map((line) => {
    const id = String(line.id);
    const known = [...found, ...records].filter((record) => record.id === id);
    const old = known.find(({ record }) => record?.[replaces] != null)?.record?.[replaces];
    const [before, now] = [old == null ? undefined : Number(old), Number(line[amountField])];
    const percent = before ? Math.round(((now - before) / before) * 1000) / 10 : undefined;
    return { name: known[0]?.label ?? id, before, now, percent };
  });
  const magnitude = ({ percent = 0 }: (typeof rows)[number]) => Math.abs(percent);
  const shown = rows.toSorted((a, b) => magnitude(b) - magnitude(a)).slice(0, maxDisplayedRows);
  if (shown.length === 0) return;
  const others = rows.length - shown.length;
  note(
    streams,
    `${capitalize(replaces)} of each item${others > 0 ? `, and of ${formatCount(others)} more` : ''}:`,
  );
  await writeTable(streams, replacementColumns, shown);
}

async function writeTable(
  streams: Streams,
  tableColumns: Parameters<typeof renderTable>[0],
  rows: readonly Row[],
) {
  const { text } = renderTable(tableColumns, rows, {
    width: streams.columns('err'),
    color: streams.color.err,
    unicode: streams.unicode,
    isolate: streams.isTerminal.err && streams.unicode,
  });
  await write(streams.stderr, text);
}

/** Removes floating-point error by rounding to 4 digits. */
function roundTo4Digits(value: number): number {
  return Number(value.toFixed(4));
}
