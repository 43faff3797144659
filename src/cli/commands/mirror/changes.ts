/** `boh changes`: shows what changed in the account, by anyone, as syncs of the mirror have seen it. */
import { formatTimestamp, parseFilterTime } from '../../../api/contract/date-time.ts';
import { identifier, sql, where } from '../../../api/sql/sql.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { entries } from '../../../engine/history/journal/reading.ts';
import { type RowChange, readChanges } from '../../../engine/mirror/query/changes.ts';
import { conditionsFor } from '../../../engine/mirror/query/conditions.ts';
import { type MirroredResource, mirroredResources } from '../../../engine/mirror/schema/derive.ts';
import { digitsOf } from '../../../engine/mirror/schema/numbers.ts';
import { type Cell, type Column, columnNames, idColumn } from '../../../engine/mirror/schema/table.ts';
import { withReader } from '../../../engine/mirror/stores/open.ts';
import { readIds } from '../../../engine/mirror/stores/reads.ts';
import type { Reader, StoredRow } from '../../../engine/mirror/stores/store.ts';
import { readStates } from '../../../engine/mirror/sync/states.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { inferTitle } from '../../output/wording.ts';
import { parseWhere } from '../bulk/where.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, repeated } from '../flags/flag-table.ts';
import { resolveResource } from '../flags/shared-flags.ts';
import { idsOf } from '../history/entries.ts';
import { openHistoryForCaller } from '../history/open-history.ts';
import { mirrorFlag, requireMirrorOwner, resourcesOf, targetOf } from './target.ts';

const changesFlags = [
  ['--since <time>', 'changes that syncs have seen since this time: 12h, 7d, 2026-11-01 (default: 7d)'],
  ['--field <name>', 'only changes of this field, for example cost'],
  ['--where <key=value>', 'only records that match this filter of the list now (repeatable)', repeated],
  ['--min-change <percent>', 'only numbers that changed by at least this much, for example 20%'],
  ['--not-by-boh', 'only changes that boh did not make from this machine'],
  ['--exit-code', 'exit with 10 if there are changes'],
  mirrorFlag,
] as const;

type ChangesFlags = FlagsOf<typeof changesFlags>;

export function changesCommand(context: Context): Command {
  return createCommand(context, {
    name: 'changes',
    summary: 'Show what changed in the account, by anyone',
    about:
      'Show what changed in the account, by anyone: the old and new values that syncs of the mirror have seen, newest first. A ' +
      'change happened between two syncs; several changes between them are one. To see later ones: boh mirror sync.',
    args: [['[resource]', 'only changes of this resource']],
    flags: changesFlags,
    examples: [
      'boh changes --since 7d',
      'boh changes inventory-items --field cost --min-change 20% --not-by-boh --exit-code',
    ],
    run: ([resource], flags) => showChanges(resource, flags, context),
  });
}

/** A change of a field, or of a record as a whole (`field` is null). */
interface ShownChange {
  sequence: number;
  /** The change happened between these times (UTC). */
  seen_after: string | null;
  seen_at: string;
  resource: string;
  id: string;
  name: string | null;
  operation: string;
  field: string | null;
  old: Cell;
  new: Cell;
  /** The names of related records. */
  old_name: string | null;
  new_name: string | null;
  /** The user who made the change with boh from this machine; null if it wasn't made with boh. */
  by: string | null;
}

async function showChanges(
  resourceName: string | undefined,
  flags: ChangesFlags,
  context: Context,
): Promise<Result> {
  const { api } = context;
  const now = context.now();
  const sinceTime = parseFilterTime(flags.since ?? '7d', now);
  if (!sinceTime) throw usage(`--since takes a time such as 12h, 7d or 2026-11-01, not "${flags.since}".`);
  const minPercent = parsePercent(flags.minChange);
  const named = resourceName === undefined ? undefined : resolveResource(resourceName, api);
  const filters = flags.where && named ? parseWhere(named, flags.where, now) : undefined;
  if (flags.where && !named)
    throw usage('--where needs a resource, because filters differ between resources.');
  const resources = await resourcesOf(
    named ? { resource: [named.command] } : {},
    mirroredResources(api),
    context,
  );
  requireField(flags.field, resources);
  const target = await targetOf(flags, context);
  const since = formatTimestamp(sinceTime);
  const changes = await withReader(target, async (reader) => {
    await requireMirrorOwner(reader, flags, context, { isOnlyRead: true });
    await reader.beginSnapshot();
    const states = await readStates(reader);
    if (!resources.some(({ resource }) => states.get(resource.name)?.versionsSince !== undefined)) {
      throw new Failure(
        'not_found',
        `The mirror ${reader.label} keeps no versions, so changes are unknown.`,
        {
          hint: boh.hint`To keep them from now on: ${boh.mirror('mirror sync', '--versions')}`,
        },
      );
    }
    const [mirrored] = resources;
    const ids = filters && mirrored ? await matchingIds(reader, mirrored, filters) : undefined;
    const shown: ShownChange[] = [];
    for await (const change of readChanges(reader, resources, { since })) {
      if (!ids || ids.has(change.recordId)) shown.push(...shownChanges(change));
    }
    const selected = shown.filter(
      (change) =>
        (flags.field === undefined || change.field?.split('.').includes(flags.field)) &&
        (minPercent === undefined || changedPercent(change) >= minPercent),
    );
    await addNames(reader, resources, selected);
    return selected;
  });
  await addUsers(changes, context);
  const rows = changes.filter(({ by }) => !flags.notByBoh || by === null).reverse();
  return {
    kind: 'data',
    data: rows,
    columns: [
      { name: 'seen_at' },
      { name: 'resource', isIndivisible: true },
      { name: 'name' },
      { name: 'operation', isIndivisible: true },
      { name: 'field' },
      { name: 'old', align: 'right' },
      { name: 'new', align: 'right' },
      { name: 'by' },
    ],
    dataForPeople: () =>
      rows.map((row) => ({
        ...row,
        name: row.name ?? row.id,
        old: row.old_name ?? row.old,
        new: row.new_name ?? row.new,
      })),
    emptyNote: `No changes since ${since} (UTC).`,
    expectedFailure:
      flags.exitCode && rows.length > 0
        ? new Failure(
            'differences',
            `${rows.length === 1 ? '1 change' : `${rows.length} changes`} since ${since} (UTC).`,
          )
        : undefined,
  };
}

function parsePercent(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits] = /^(\d{1,6}(?:\.\d+)?)\s*%?$/.exec(text.trim()) ?? [];
  if (digits === undefined) throw usage(`--min-change takes a percentage such as 20%, not "${text}".`);
  return Number(digits);
}

function requireField(field: string | undefined, resources: readonly MirroredResource[]): void {
  if (field === undefined) return;
  const names = resources.flatMap(({ tables, resource }) =>
    tables.flatMap((table) => [table.name.slice(resource.name.length + 1), ...columnNames(table)]),
  );
  if (names.includes(field)) return;
  const [first, ...others] = resources;
  const owner = first && others.length === 0 ? ` of ${first.resource.nouns}` : '';
  throw usage(`The mirror has no field "${field}"${owner}.${didYouMean(field, names)}`);
}

async function matchingIds(reader: Reader, mirrored: MirroredResource, filters: Record<string, string>) {
  const [first, ...others] = conditionsFor(mirrored, filters, reader.dialect);
  const condition = first ? others.reduce((all, other) => sql`${all} AND ${other}`, first) : sql`1 = 1`;
  return new Set(await readIds(reader, mirrored.main, condition));
}

/** The columns that change with every write, and say nothing else. */
const isBookkeeping = (column: string) => column === 'updated_at' || column === 'position';

/** Returns the changes of each field. Links and nested lists are fields of their record: `branches.par_level`. */
function shownChanges(change: RowChange): ShownChange[] {
  const {
    sequence,
    seenAfter,
    seenAt,
    mirrored,
    table,
    recordId,
    operation,
    changed,
    old,
    new: row,
  } = change;
  const common = {
    ...{ sequence, seen_after: seenAfter, seen_at: seenAt, resource: mirrored.resource.name, id: recordId },
    ...{ name: null, operation },
  };
  const unnamed = { old_name: null, new_name: null, by: null };
  const cell = (cells: StoredRow | undefined, column: Column | undefined) =>
    column && cells ? cellOf(cells[column.name] ?? null, column) : null;
  const list = table === mirrored.main ? undefined : table.name.slice(mirrored.resource.name.length + 1);
  if (list === undefined && operation !== 'update')
    return [{ ...common, field: null, old: null, new: null, ...unnamed }];
  if (operation === 'update') {
    const columns = table.columns.filter(({ name }) => changed.includes(name) && !isBookkeeping(name));
    return columns.map((column) => {
      const field = list === undefined ? column.name : `${list}.${column.name}`;
      return { ...common, field, old: cell(old, column), new: cell(row, column), ...unnamed };
    });
  }
  const value = table.columns.find(
    ({ name }) => name === table.linked || name === 'value' || name === 'name',
  );
  return [{ ...common, field: list ?? null, old: cell(old, value), new: cell(row, value), ...unnamed }];
}

/** Returns a code as its word and digits as a number, if a number has them. */
function cellOf(cell: Cell, { type, words }: Column): Cell {
  const word = words && Object.entries(words).find(([, code]) => code === cell)?.[0];
  if (word !== undefined) return word;
  return type === 'numeric' && digitsOf(Number(cell)) === String(cell) ? Number(cell) : cell;
}

function changedPercent({ old, new: value }: ShownChange): number {
  const [before, after] = [old, value].map((cell) =>
    cell === null || cell === '' ? Number.NaN : Number(cell),
  );
  if (before === undefined || after === undefined || Number.isNaN(before - after)) return -1;
  return before === 0
    ? after === 0
      ? 0
      : Number.POSITIVE_INFINITY
    : (Math.abs(after - before) / Math.abs(before)) * 100;
}

/** The maximum number of IDs in a query. */
const maxIds = 5000;

/** Adds the names of the records, and of the records that old and new values refer to. */
async function addNames(
  reader: Reader,
  resources: readonly MirroredResource[],
  changes: ShownChange[],
): Promise<void> {
  const tables = new Map(resources.map((mirrored) => [mirrored.resource.name, mirrored]));
  const namesIn = async (table: string, ids: ReadonlySet<string>) => {
    const names = new Map<string, string>();
    const allIds = [...ids];
    for (let start = 0; start < allIds.length; start += maxIds) {
      const condition = sql`${identifier(idColumn)} IN ${allIds.slice(start, start + maxIds)}`;
      const rows = await reader.read(sql`SELECT * FROM ${identifier(table)}${where([condition])}`);
      for (const row of rows) names.set(String(row[idColumn]), inferTitle(row));
    }
    return names;
  };
  for (const [resource, group] of Map.groupBy(changes, (change) => change.resource)) {
    const names = await namesIn(resource, new Set(group.map(({ id }) => id)));
    for (const change of group) change.name = names.get(change.id) ?? null;
    for (const [field, fieldGroup] of Map.groupBy(group, (change) => change.field)) {
      const parent = referencedTable(tables.get(resource), field);
      if (parent === undefined) continue;
      const ids = new Set(
        fieldGroup.flatMap((change) => [change.old, change.new].filter((id) => id !== null).map(String)),
      );
      const related = await namesIn(parent, ids);
      for (const change of fieldGroup) {
        change.old_name = related.get(String(change.old)) ?? null;
        change.new_name = related.get(String(change.new)) ?? null;
      }
    }
  }
}

/** Returns the table whose IDs a field's values are. */
function referencedTable(mirrored: MirroredResource | undefined, field: string | null): string | undefined {
  if (!mirrored || field === null) return undefined;
  const column = mirrored.main.columns.find(({ name }) => name === field);
  if (column) return column.references;
  const table = mirrored.tables.find(({ name }) => name === `${mirrored.resource.name}_${field}`);
  return table?.columns.find(({ name }) => name === table.linked)?.references;
}

/** Adds the users who made the changes with boh, by the history of this machine. */
async function addUsers(changes: ShownChange[], context: Context): Promise<void> {
  const times = changes.flatMap(({ seen_after: after }) => after ?? []).sort();
  const since = times[0] === undefined ? undefined : parseFilterTime(times[0], context.now())?.getTime();
  const journal = since === undefined ? undefined : await openHistoryForCaller(context);
  if (!journal) return;
  try {
    const byRecord = Map.groupBy(
      [...entries(journal, { since })].filter(({ outcome }) => outcome === 'done'),
      (entry) => `${entry.resource}/${idsOf(entry)[0]}`,
    );
    for (const change of changes) {
      const write = byRecord.get(`${change.resource}/${change.id}`)?.find(({ at }) => {
        const time = formatTimestamp(new Date(at));
        return time <= change.seen_at && time >= (change.seen_after ?? time);
      });
      if (write) change.by = write.user ?? 'boh';
    }
  } finally {
    journal.close();
  }
}
