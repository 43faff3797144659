/** The lines of the latest record before this one, for a person to compare with. */

import { isRow, type Row } from '../../client/shape.ts';
import { filterOnSame } from '../../contract/compared.ts';
import { shownWhenAsked } from '../../contract/include.ts';
import { type BodyField, type Operation, operation as operationOf } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import type { Context } from '../context.ts';
import { titleOf } from '../output/wording.ts';

export interface EarlierLines {
  /** `IC-0009 of 2026-11-20` */
  what: string;
  /** By the id of the record that a line is of. */
  numbers: ReadonlyMap<string, number>;
}

/**
 * `sameId` is the id, or the look-up, of the record that both have in common; `ownId` is left aside. Undefined where
 * there is no such record, or it can't be read: it is only for comparison.
 */
export async function earlierLines(
  context: Context,
  { resource }: Operation,
  { field, shown }: BodyField,
  { sameId, ownId }: { sameId: string; ownId?: string | undefined },
): Promise<EarlierLines | undefined> {
  const { earlier, amount = '' } = field.traits;
  const list = operationOf(resource, 'list');
  const filter = earlier && filterOnSame(resource.filters, earlier);
  if (!earlier || !list || !filter) return undefined;
  try {
    const session = await context.session();
    const filters = { ...earlier.filters, [filter.name]: sameId };
    const optional = shownWhenAsked(resource, [shown]);
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

/** Lists begin with the oldest or with the newest; the document doesn’t say which. */
async function firstAndLastPage(session: Session, call: ListCall): Promise<Row[]> {
  const first = session.list(call, { isFirstPageOnly: true });
  const rows = await Array.fromAsync(first.rows());
  const { lastPage = 1 } = first.facts();
  if (lastPage <= 1) return rows;
  const last = session.list({ ...call, query: { ...call.query, page: lastPage } }, { isFirstPageOnly: true });
  return [...rows, ...(await Array.fromAsync(last.rows()))];
}
