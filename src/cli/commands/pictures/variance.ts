/** `variance ID`: the differences of a document between counted and expected quantities, the total first. */

import { isRow } from '../../../account/client/shape.ts';
import { operation, requireOperation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure } from '../../../base/errors.ts';
import { formatCount, maxShownItems } from '../../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { withLineNames } from '../../output/present-records.ts';
import type { DisplayOptions } from '../../output/result.ts';
import { inferTitle } from '../../output/wording.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { formatTable, nameOf, namesOf, numberOrNull, stringOrNull } from './picture.ts';

interface VarianceLine extends ShownRow {
  id: string;
  name: string;
  counted: number | null;
  expected: number | null;
  variance: number;
  unit: string | null;
  cost: number | null;
  percent: number | null;
}

interface Variance {
  id: string;
  title: string;
  total_cost: number;
  /** The lines that differ, the largest amounts of money first. */
  items: VarianceLine[];
  /** The number of lines whose variance the service hasn't computed. */
  unknown: number;
}

export function varianceCommand(resource: Resource, context: Context): Command {
  return createCommand(context, {
    name: 'variance',
    about: `Show the differences of one ${resource.noun} from the expected quantities: the total, then the ${maxShownItems} largest in money. -o csv and -o json have all.`,
    args: [[`<${resource.one}>`, 'the ID, or @NAME']],
    examples: [`boh ${resource.command} variance @${resource.exampleKey}`],
    run: async ([id]) => {
      const variance = await readVariance(resource, id, context);
      return {
        kind: 'data',
        data: variance,
        rows: variance.items,
        idField: 'id',
        text: (display) => `${varianceLines(variance, display).join('\n')}\n`,
      };
    },
  });
}

/** Returns the table of a document that has just taken effect; empty if it can't be read. */
export async function varianceAfterClosing(
  resource: Resource,
  id: string,
  context: Context,
): Promise<string[]> {
  const { streams } = context;
  if (!resource.pictures?.variance || !operation(resource, 'get') || !streams.isTerminal.err) return [];
  try {
    const display = {
      width: streams.columns('err'),
      color: false,
      unicode: streams.unicode,
      isTerminal: true,
    };
    return varianceLines(await readVariance(resource, id, context), display);
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return [];
    throw error;
  }
}

async function readVariance(resource: Resource, id: string, context: Context): Promise<Variance> {
  const { variance: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no variance`);
  const session = await context.session();
  const optional = [fields.lines, fields.branch];
  const call = { operation: requireOperation(resource, 'get'), ids: [id], query: { optional } };
  const { record: response } = await session.get(call);
  const record = await withLineNames(session, resource, response);
  const branches = await namesOf(context, resource, fields.branch);
  const { amountField = '', unitFrom = '' } = resource.fields[fields.lines]?.traits ?? {};
  const lines = [record[fields.lines]].flat().filter(isRow);
  const items = lines.flatMap((line): VarianceLine[] => {
    const pivot = isRow(line.pivot) ? line.pivot : {};
    const [variance, counted] = [numberOrNull(pivot[fields.quantity]), numberOrNull(pivot[amountField])];
    if (variance === null) return [];
    const expected = counted === null ? null : roundTo4Digits(counted - variance);
    return [
      {
        ...{ id: String(line.id), name: inferTitle(line), counted, expected, variance },
        ...{ unit: stringOrNull(line[unitFrom]), cost: numberOrNull(pivot[fields.money]) },
        percent: numberOrNull(pivot[fields.percent]),
      },
    ];
  });
  const branch = record[fields.branch];
  const day = stringOrNull(record[fields.day])?.slice(0, 10);
  const place = isRow(branch) ? nameOf(branch, branches) : undefined;
  return {
    id: String(record.id),
    title: [inferTitle(record), place, day].filter((part) => part !== undefined).join(', '),
    total_cost: roundTo4Digits(items.reduce((sum, { cost }) => sum + (cost ?? 0), 0)),
    items: items
      .filter(({ variance }) => variance !== 0)
      .sort((a, b) => Math.abs(b.cost ?? 0) - Math.abs(a.cost ?? 0)),
    unknown: lines.length - items.length,
  };
}

function varianceLines(
  { title, total_cost: totalCost, items, unknown }: Variance,
  display: DisplayOptions,
): string[] {
  const remaining = items.length - maxShownItems;
  const rows = [{ name: 'Total', cost: totalCost }, ...items.slice(0, maxShownItems)];
  const number = { align: 'right' as const };
  const columns = [
    { name: 'name', minWidth: 12 },
    { name: 'cost', ...number, isIndivisible: true },
    { name: 'variance', ...number, isIndivisible: true },
    { name: 'unit', rank: 2 },
    { name: 'counted', ...number, rank: 2 },
    { name: 'expected', ...number, rank: 3 },
    { name: 'percent', ...number, rank: 4 },
  ];
  return [
    `Variance of ${title}: ${formatCount(items.length)} ${items.length === 1 ? 'item differs' : 'items differ'}.`,
    ...formatTable(display, columns, rows),
    ...(remaining > 0 ? [`and ${formatCount(remaining)} more`] : []),
    ...(unknown > 0 ? [`The service has no expected quantity for ${formatCount(unknown)}.`] : []),
  ];
}

function roundTo4Digits(number: number): number {
  return Number(number.toFixed(4));
}
