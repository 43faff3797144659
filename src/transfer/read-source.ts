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
  const { session, resources, source, report } = transfer;
  const order = session.api.dependencyOrder().map(({ resource }) => resource);
  const referencedIds: ReferencedIds = new Map();
  for (const [resourceIndex, resource] of [...order.entries()].reverse()) {
    const isRequested = resources.includes(resource);
    if (!source.has(resource) || (!isRequested && transfer.isSameAccount)) continue;
    if (isRequested && !resource.create && !resource.update) {
      for await (const { record } of source.records(resource))
        report.addExcluded('not_writable', resource, String(record.id));
    } else if (isRequested)
      await readResourceRecords(transfer, resource, { resourceIndex, rowCount: 0, referencedIds });
    else await readReferencedRecords(transfer, resource, resourceIndex, referencedIds);
  }
}

/** Reads referenced records. It repeats until all are read, because records of one resource may refer to each other. */
async function readReferencedRecords(
  transfer: Transfer,
  resource: Resource,
  resourceIndex: number,
  referencedIds: ReferencedIds,
) {
  const readIds = new Set<string>();
  for (let rowCount = 0; ; ) {
    const ids = new Set([...(referencedIds.get(resource.name) ?? [])].filter((id) => !readIds.has(id)));
    if (ids.size === 0) return;
    rowCount = await readResourceRecords(transfer, resource, {
      resourceIndex,
      rowCount,
      referencedIds,
      ids,
    });
    for (const id of ids) readIds.add(id);
  }
}

interface ReadOptions {
  /** The index of the resource in dependency order. */
  resourceIndex: number;
  /** The number of rows of the resource that are already in the ledger. */
  rowCount: number;
  referencedIds: ReferencedIds;
  /** Reads only records with these IDs, because other records refer to them. */
  ids?: ReadonlySet<string>;
}

async function readResourceRecords(
  transfer: Transfer,
  resource: Resource,
  { resourceIndex, rowCount, referencedIds, ids }: ReadOptions,
): Promise<number> {
  const { ledger, source, session, includesReferences } = transfer;
  let count = rowCount;
  let rows: NewRow[] = [];
  for await (const { record, line = null, problems = [], ...edited } of source.records(resource, ids)) {
    if (problems.length === 0 && excludeIfNotTransferable(transfer, resource, record)) continue;
    const intent: TransferIntent = { record, isReferenced: ids !== undefined, ...edited };
    const row: NewRow = {
      seq: positionOfRecord(resourceIndex, count++),
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
    if (ids === undefined || includesReferences) {
      const canBeListed = (target: string) => session.api.resource(target) !== undefined;
      collectReferences(resource.fields, record, canBeListed, referencedIds);
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
function excludeIfNotTransferable(transfer: Transfer, resource: Resource, record: Row): boolean {
  const { report, includesDeleted, edited, isSameAccount } = transfer;
  // An edited file may submit a draft of the account, so the state in the file doesn't exclude the record.
  const hasEffect = hasTakenEffect(resource, record) && !(edited && isSameAccount);
  const reason = isDeleted(record) && !includesDeleted ? 'deleted' : hasEffect ? 'took_effect' : undefined;
  if (reason) report.addExcluded(reason, resource, String(record.id));
  return reason !== undefined;
}

/** Adds the IDs of the records that a record refers to. */
function collectReferences(
  fields: Fields,
  row: Row,
  canBeListed: (target: string) => boolean,
  referencedIds: ReferencedIds,
): void {
  for (const [name, { traits }] of Object.entries(fields)) {
    const value = row[name];
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isRow(item)) continue;
      if (traits.fields) collectReferences(traits.fields, item, canBeListed, referencedIds);
      else if (traits.target !== undefined && canBeListed(traits.target)) {
        const ids = referencedIds.get(traits.target) ?? new Set();
        referencedIds.set(traits.target, ids.add(String(item.id)));
      }
    }
  }
}

/** The number of positions of one resource in the plan: more than any account has records. */
const positionsPerResource = 1_000_000_000;

/** Returns the position of a record in the plan. `resourceIndex` is the index of its resource in dependency order. */
function positionOfRecord(resourceIndex: number, count: number): number {
  return resourceIndex * positionsPerResource + count + 1;
}

/** Returns the position of a write that is sent after all records of the resource. */
export function positionOfLateWrite(resourceIndex: number, count: number): number {
  return resourceIndex * positionsPerResource + positionsPerResource / 2 + count + 1;
}

/** Returns the position of a write at the end of the plan. Records that refer to others come first. */
export function positionAtEnd(resourceIndex: number, resourceCount: number, count: number): number {
  return (2 * resourceCount - resourceIndex) * positionsPerResource + count + 1;
}
