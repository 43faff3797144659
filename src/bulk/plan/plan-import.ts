/** From a file to a ledger of what is to be sent: read, checked, named, matched, decided. Nothing is written meanwhile. */
import { usage } from '../../base/errors.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { keyFor } from '../../runs/mark.ts';
import type { Session } from '../../session/session.ts';
import type { Column } from '../../tables/columns/columns.ts';
import { type ColumnFor, headerFailure, headerFor, mappedInVain } from '../../tables/columns/header.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import type { OpenTable } from '../../tables/open-table.ts';
import { markRows, matchRows } from './match-rows.ts';
import { resolveNames } from './names.ts';
import { readRows } from './read-rows.ts';
import { understandingOf } from './understanding.ts';

export interface ImportPlan {
  ledger: Ledger;
  resource: Resource;
  /** Begins sentences: "The file prices.csv". */
  called: string;
  table: OpenTable;
  options: ImportOptions;
  /** None where nothing may be asked: then the file alone is looked at. */
  session: Session | undefined;
  plainCell(text: string): string;
  /** Called once the file is read, before it is compared with the account. */
  beforeMatching?: (() => Promise<void>) | undefined;
  /** Told of rows that have been read. */
  onRows?: ((count: number) => void) | undefined;
}

/**
 * Writes every row into the ledger: `planned` with its requests, `done` where there is nothing to do, `bad` with all
 * that is wrong with it. Throws usage failures for what is wrong with the file as a whole.
 */
export async function planImport(plan: ImportPlan): Promise<void> {
  const { ledger, resource, called, table, options, session, plainCell, onRows } = plan;
  const key = keyFor(resource, options);
  ledger.setFact(
    'key',
    key.map(({ shown }) => shown),
  );
  const seen = new Map<string, Column>();
  const header = headerFor(resource, options, table.columns);
  const columnFor: ColumnFor = (name) => {
    const column = header.columnFor(name);
    if (column) seen.set(column.shown, column);
    return column;
  };
  for (const name of table.columns ?? []) if (name !== '') columnFor(name);
  const inVain = table.columns ? mappedInVain(options.map, table.columns) : [];
  const problems = [...header.problems, ...inVain];
  if (problems.length > 0) throw headerFailure(called, resource, problems);
  const how = await understandingOf({ ...options, table, columnFor, called, hasFlags: true });
  await readRows(
    table,
    { resource, form: table.form, columnFor, how, options, key, plainCell, onRows },
    ledger,
  );
  if (header.problems.length > 0) throw headerFailure(called, resource, header.problems);
  if (ledger.count() === 0) throw usage(`${called} holds no rows.`);
  await plan.beforeMatching?.();
  const columns = [...seen.values()];
  if (session && columns.some(({ field, role }) => role === 'value' && field?.traits.target)) {
    await resolveNames(ledger, resource, session);
  }
  markRows({ ledger, resource, options, key });
  if (session) {
    const shown = new Set(columns.map((column) => column.shown));
    await matchRows({ ledger, resource, session, options, key, shown });
  }
}
