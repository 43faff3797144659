/** Records that a run has added while somebody else added the same ones: two machines at work on one file know nothing of each other. */
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { markOfRecord } from '../plan/mark.ts';
import { type Looking, lookingFor, recordsLike } from './records-like.ts';

export interface Double {
  key: string;
  /** Of the record that the run has added. */
  id: string;
  /** Of the other one, which was not there when the run was planned. */
  other: string;
}

/**
 * How long ago a run has to be planned, in milliseconds: within less somebody else would have to begin at the very same
 * moment, and to look would cost most runs more than they take.
 */
const worthALook = 10_000;

/** Rows of a look at some of them: as many as one request asks for. Two runs of one file double nearly all of it. */
const mostLookedAt = 50;

/** None where the rows have no key, or were planned a moment ago. One request, unless there are any: then all rows are looked at. */
export async function doublesOf(ledger: Ledger, session: Session, now: number): Promise<Double[]> {
  const since = ledger.fact('since');
  const looking = lookingFor(ledger, session);
  if (!looking || typeof since !== 'number' || now - since < worthALook) return [];
  const { resource, column } = looking;
  const isExact = resource.filters.some(({ on, match }) => on === column.shown && match === 'equals');
  const some = await doublesAmong(spread(ledger, isExact ? mostLookedAt : 1), ledger, looking);
  if (some.length === 0) return [];
  const found: Double[] = [];
  for (const rows of ledger.stretches('done'))
    found.push(...(await doublesAmong(rows.filter(isAdded), ledger, looking)));
  return found;
}

function isAdded({ action, match, resource, id }: LedgerRow): boolean {
  return action === 'create' && resource === null && id !== null && match?.startsWith('k') === true;
}

/** As many of the added rows, at equal distances: whoever began later has perhaps come only so far. */
function spread(ledger: Ledger, most: number): LedgerRow[] {
  let all = 0;
  for (const row of ledger.rows('done')) if (isAdded(row)) all++;
  const count = Math.min(most, all);
  const places = new Set(Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * all) / count)));
  const found: LedgerRow[] = [];
  let place = 0;
  for (const row of ledger.rows('done')) if (isAdded(row) && places.has(place++)) found.push(row);
  return found;
}

async function doublesAmong(rows: readonly LedgerRow[], ledger: Ledger, looking: Looking): Promise<Double[]> {
  const byMark = new Map(rows.map((row) => [row.match, row]));
  const found = new Map<string, Double>();
  for await (const records of recordsLike(rows, looking))
    for (const record of records) {
      const row = byMark.get(`k${markOfRecord(record, looking.key)}`);
      const other = idOf(record);
      if (row?.id && other !== undefined && other !== row.id && !ledger.hasId(other))
        found.set(other, { key: row.key ?? row.id, id: row.id, other });
    }
  return [...found.values()];
}

function idOf({ id }: Row): string | undefined {
  return typeof id === 'string' ? id : undefined;
}
