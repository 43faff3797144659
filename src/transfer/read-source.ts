/** Reads the records of a transfer into its ledger, with the records that they reference. */
import type { Fields } from '../contract/field.ts';
import { hasTakenEffect } from '../contract/irreversible.ts';
import type { Resource } from '../contract/resource.ts';
import type { NewRow } from '../runs/ledger/row.ts';
import { rowError } from '../runs/row-error.ts';
import { isDeleted } from '../session/list.ts';
import { recordTitle } from '../session/record-key.ts';
import { isRow, type Row } from '../session/row.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';

/** The number of rows that are written to the ledger at a time. */
const batchRows = 500;

type ReferencedIds = Map<string, Set<string>>;

/** Reads the records. Resources that refer to others are read first, which determines the referenced records to read. */
export async function readSource(transfer: Transfer): Promise<void> {
  const { session, resources, source, findings } = transfer;
  const order = session.api.dependencyOrder().map(({ resource }) => resource);
  const referencedIds: ReferencedIds = new Map();
  for (const [position, resource] of [...order.entries()].reverse()) {
    const isChosen = resources.includes(resource);
    if (!source.has(resource) || (!isChosen && transfer.isSameAccount)) continue;
    if (isChosen && !resource.create && !resource.update) {
      for await (const { record } of source.records(resource))
        findings.addExcluded('not_writable', resource, String(record.id));
    } else if (isChosen)
      await readResourceRecords(transfer, resource, { position, rowCount: 0, referencedIds });
    else await readReferencedRecords(transfer, resource, position, referencedIds);
  }
}

/** Reads referenced records. It repeats until all are read, because records of one resource may refer to each other. */
async function readReferencedRecords(
  transfer: Transfer,
  resource: Resource,
  position: number,
  referencedIds: ReferencedIds,
) {
  const read = new Set<string>();
  for (let rowCount = 0; ; ) {
    const ids = new Set([...(referencedIds.get(resource.name) ?? [])].filter((id) => !read.has(id)));
    if (ids.size === 0) return;
    rowCount = await readResourceRecords(transfer, resource, { position, rowCount, referencedIds, ids });
    for (const id of ids) read.add(id);
  }
}

interface ReadOptions {
  position: number;
  /** The number of rows of the resource that are already in the ledger. */
  rowCount: number;
  referencedIds: ReferencedIds;
  /** Reads only records with these ids, because other records refer to them. */
  ids?: ReadonlySet<string>;
}

async function readResourceRecords(
  transfer: Transfer,
  resource: Resource,
  { position, rowCount, referencedIds, ids }: ReadOptions,
): Promise<number> {
  const { ledger, source, session, withReferences } = transfer;
  let count = rowCount;
  let rows: NewRow[] = [];
  for await (const { record, line = null, problems = [], ...edited } of source.records(resource, ids)) {
    if (problems.length === 0 && excludeRecord(transfer, resource, record)) continue;
    const intent: TransferIntent = { record, isReferenced: ids !== undefined, ...edited };
    const row: NewRow = {
      seq: positionOfRecord(position, count++),
      line,
      key: recordTitle(resource, record),
      name: rowName(resource.name, String(record.id)),
      resource: resource.name,
      state: 'read',
      intent,
    };
    if (problems.length > 0) {
      rows.push({ ...row, state: 'bad', action: 'skip', error: rowError(problems) });
      continue;
    }
    rows.push(row);
    if (ids === undefined || withReferences) {
      const isResource = (target: string) => session.api.resource(target) !== undefined;
      collectReferences(resource.fields, record, isResource, referencedIds);
    }
    if (rows.length < batchRows) continue;
    ledger.add(rows);
    transfer.onRows?.(rows.length);
    rows = [];
  }
  ledger.add(rows);
  return count;
}

/** Excludes a record that can't be transferred, and returns whether it was excluded. */
function excludeRecord(transfer: Transfer, resource: Resource, record: Row): boolean {
  const { findings, withDeleted, edited, isSameAccount } = transfer;
  // An edited file may submit a draft of the account, so the state in the file doesn't exclude the record.
  const hasEffect = hasTakenEffect(resource, record) && !(edited && isSameAccount);
  const reason = isDeleted(record) && !withDeleted ? 'deleted' : hasEffect ? 'took_effect' : undefined;
  if (reason) findings.addExcluded(reason, resource, String(record.id));
  return reason !== undefined;
}

/** Adds the ids of the records that a record refers to. */
function collectReferences(
  fields: Fields,
  row: Row,
  isResource: (target: string) => boolean,
  referencedIds: ReferencedIds,
): void {
  for (const [name, { traits }] of Object.entries(fields)) {
    const value = row[name];
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isRow(item)) continue;
      if (traits.fields) collectReferences(traits.fields, item, isResource, referencedIds);
      else if (traits.target !== undefined && isResource(traits.target)) {
        const ids = referencedIds.get(traits.target) ?? new Set();
        referencedIds.set(traits.target, ids.add(String(item.id)));
      }
    }
  }
}

/** The number of positions of one resource in the plan: more than any account has records. */
const positionsPerResource = 1_000_000_000;

/** Returns the position of a record in the plan. `order` is the index of its resource in dependency order. */
function positionOfRecord(order: number, count: number): number {
  return order * positionsPerResource + count + 1;
}

/** Returns the position of a write that is sent after all records of the resource. */
export function positionOfLateWrite(order: number, count: number): number {
  return order * positionsPerResource + positionsPerResource / 2 + count + 1;
}

/** Returns the position of a write at the end of the plan. Records that refer to others come first. */
export function positionAtEnd(order: number, kinds: number, count: number): number {
  return (2 * kinds - order) * positionsPerResource + count + 1;
}
