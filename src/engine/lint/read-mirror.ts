/** Reads the records that rules need from a mirror, with only the tables and fields that the rules read. */
import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../account/session/row.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { identifier, sql, where } from '../../api/sql/sql.ts';
import { buildRecords } from '../mirror/query/records.ts';
import { type MirroredResource, mirroredResource } from '../mirror/schema/derive.ts';
import { parseExcluded } from '../mirror/schema/excluded.ts';
import { deletedColumn, idColumn, type Table } from '../mirror/schema/table.ts';
import type { Reader, StoredRow } from '../mirror/stores/store.ts';
import { readExcludedNames } from '../mirror/sync/exclusions.ts';
import { readStates } from '../mirror/sync/states.ts';
import { type RuleRecords, selectFields } from './read-records.ts';

const rowsPerPage = 1000;

/** Reads the records from the mirror. Resources that were never synced completely are missing. */
export async function readMirrorRecords(
  reader: Reader,
  reads: ReadonlyMap<Resource, ReadonlySet<string>>,
  api: Api,
): Promise<RuleRecords> {
  await reader.beginSnapshot();
  const excluded = parseExcluded(api, await readExcludedNames(reader));
  const states = (await readStates(reader)).values().filter(({ syncedAt }) => syncedAt !== undefined);
  const synced = new Set(states.map(({ resource }) => resource));
  const result: RuleRecords = { rows: new Map(), missing: [] };
  for (const [resource, fields] of reads) {
    const mirrored = mirroredResource(resource, excluded);
    if (!synced.has(resource.name)) result.missing.push(resource);
    else result.rows.set(resource.name, await readResource(reader, mirrored, fields, synced));
  }
  return result;
}

async function readResource(
  reader: Reader,
  mirrored: MirroredResource,
  fields: ReadonlySet<string>,
  synced: ReadonlySet<string>,
): Promise<Row[]> {
  const { resource, main } = mirrored;
  const children = mirrored.children.filter(({ field }) => field !== undefined && fields.has(field));
  const hasInverse = [...fields].some((field) => resource.fields[field]?.traits.inverseOf !== undefined);
  const active = main.columns.some(({ name }) => name === deletedColumn)
    ? [sql`${identifier(deletedColumn)} IS NULL`]
    : [];
  const foundRecords: Row[] = [];
  for (let lastId = ''; ; ) {
    const condition = where([sql`${identifier(idColumn)} > ${lastId}`, ...active]);
    const rows = await reader.read(
      sql`SELECT * FROM ${identifier(main.name)}${condition} ORDER BY ${identifier(idColumn)} LIMIT ${rowsPerPage}`,
    );
    const records = await buildRecords(
      reader,
      { ...mirrored, children },
      rows,
      hasInverse ? synced : new Set(),
    );
    for (const record of records) foundRecords.push(selectFields(record, resource, fields));
    lastId = String(rows.at(-1)?.[idColumn]);
    // Queries on a file don't yield to the event loop: signals are handled between pages.
    await setImmediate();
    if (rows.length < rowsPerPage) break;
  }
  for (const { field, table } of children)
    if (field !== undefined && resource.fields[field]?.kind === 'objects')
      await addNested(reader, mirrored, { field, table }, foundRecords);
  return foundRecords;
}

/** Adds the nested objects of a field, such as options, with the lists inside them. */
async function addNested(
  reader: Reader,
  { children, resource }: MirroredResource,
  { field, table }: { field: string; table: Table },
  records: readonly Row[],
): Promise<void> {
  const nestedRows = await reader.read(sql`SELECT * FROM ${identifier(table.name)}`);
  const objects = new Map(nestedRows.map((row) => [row[idColumn], { ...row } as Row]));
  for (const { table: inner } of children) {
    const name = inner.name.slice(table.name.length + 1);
    const [, , parent] = inner.columns;
    if (!inner.name.startsWith(`${table.name}_`) || !parent || !resource.fields[field]?.traits.fields?.[name])
      continue;
    for (const object of objects.values()) object[name] = [];
    for (const row of await reader.read(sql`SELECT * FROM ${identifier(inner.name)}`))
      (objects.get(row[parent.name] ?? null)?.[name] as Row[] | undefined)?.push(linkOf(row, inner));
  }
  const byOwner = Map.groupBy(objects.values(), (row) => row[table.owner ?? '']);
  for (const record of records) record[field] = byOwner.get(record.id) ?? [];
}

function linkOf(row: StoredRow, { linked = idColumn }: Table): Row {
  return { id: row[linked], pivot: row };
}
