/** What a count says now beside what the count before it said: told before it is sent. */

import { isRow, type Row } from '../../client/shape.ts';
import { capital } from '../../contract/capital.ts';
import type { BodyField } from '../../contract/operation.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { write } from '../../terminal/streams.ts';
import { renderTable } from '../../terminal/table.ts';
import type { Context } from '../context.ts';
import type { Answer } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';

/** As many are shown as one looks through; the others are counted. */
const mostShown = 15;

interface Difference extends Row {
  name: string;
  before: number;
  now: number;
  difference: number;
  cost: number | undefined;
}

export async function tellDifferences(
  { streams }: Context,
  { field }: BodyField,
  { value, found = [] }: Answer,
  earlier: EarlierLines | undefined,
): Promise<void> {
  const { earlier: comparison, amount = '' } = field.traits;
  if (!comparison?.difference) return;
  if (!earlier) {
    note(streams, `There is no ${comparison.label} to compare with. ${comparison.difference.remark}`);
    return;
  }
  const { cost, remark } = comparison.difference;
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
  const shown = differences.toSorted((one, other) => weight(other) - weight(one)).slice(0, mostShown);
  const known = links.filter(({ id }) => earlier.numbers.has(String(id)));
  const counted = new Set(links.map(({ id }) => String(id)));
  const rest = [
    [differences.length - shown.length, 'more differ'],
    [known.length - differences.length, 'as before'],
    [links.length - known.length, 'not in it'],
    [[...earlier.numbers.keys()].filter((id) => !counted.has(id)).length, 'only in it'],
  ] as const;
  const said = rest.flatMap(([count, words]) => (count > 0 ? [`${numeral(count)} ${words}`] : []));
  note(
    streams,
    `${capital(`beside the ${comparison.label}`)}, ${earlier.what}: ${said.join(', ') || 'all differ'}.`,
  );
  if (shown.length > 0) {
    const { text } = renderTable(columns, shown, {
      width: streams.columns,
      colour: streams.colour.err,
      unicode: streams.unicode,
      isolate: streams.isTerminal.err && streams.unicode,
    });
    await write(streams.stderr, text);
  }
  note(streams, remark);
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

/** Differences of decimals in which no digit is made up. */
function exact(value: number): number {
  return Number(value.toFixed(4));
}
