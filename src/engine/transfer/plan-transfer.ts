/** Plans a transfer: matches and translates the records, and adds the writes to a ledger in dependency order. */
import { differenceOf } from '../../account/session/diff/fields.ts';
import { isDeleted } from '../../account/session/list.ts';
import { bodyFrom } from '../../account/session/record-body.ts';
import { recordTitle } from '../../account/session/record-key.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Fields } from '../../api/contract/field.ts';
import { hasTakenEffect } from '../../api/contract/irreversible.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { linkSteps } from '../runs/decide.ts';
import { type LedgerRow, type NewRow, rowError, type Step } from '../runs/ledger/row.ts';
import { decideRecord, linksToRemove, linksToSet, writeFieldsOf } from './decide-record.ts';
import { candidatesOf, matchTarget } from './match-target.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';
import { type TargetId, targetId, translateRecord } from './translate.ts';

/** Plans a transfer. Calls `onResource` before the target's records of a resource are read. */
export async function planTransfer(
  transfer: Transfer,
  onResource: (resource: Resource) => void = () => undefined,
): Promise<void> {
  const { session, ledger } = transfer;
  await readSource(transfer);
  await transfer.beforeMatching?.();
  const order = session.api.dependencyOrder().map(({ resource }) => resource);
  for (const [resourceIndex, resource] of order.entries()) {
    if (ledger.batchesOf(resource.name, 'read').next().done) continue;
    onResource(resource);
    await matchTarget(transfer, resource);
    decideRecords(transfer, resource);
    addLateWrites(transfer, resource, resourceIndex);
    addDeletions(transfer, resource, resourceIndex, order.length);
  }
  session.spellings.end();
  // Only the decisions needed this data.
  for (const rows of ledger.batches('planned', 'done', 'bad'))
    ledger.write(() => {
      for (const { seq } of rows) ledger.change(seq, { intent: null });
    });
}

function decideRecords(transfer: Transfer, resource: Resource): void {
  const { ledger, report } = transfer;
  const claimedIds = new Set<string>();
  for (const rows of ledger.batchesOf(resource.name, 'read')) {
    transfer.onRows?.(rows.length);
    ledger.write(() => {
      for (const row of rows) {
        const { seq, name, key } = row;
        const candidates = candidatesOf(transfer, resource, row);
        const transferIntent = { ...(row.intent as TransferIntent), candidates };
        const decision = decideRecord({ transfer, resource, intent: transferIntent, claimedIds });
        if (decision.kind === 'row') {
          const { id } = decision.change;
          if (typeof id === 'string') claimedIds.add(id);
          ledger.change(seq, {
            ...decision.change,
            intent: { ...transferIntent, existing: candidateWithId(transferIntent, id) },
          });
          continue;
        }
        if (decision.kind === 'excluded')
          report.addExcluded(decision.reason, resource, String(transferIntent.record.id));
        else report.addMissingTitle(name ?? '', key);
        ledger.remove(seq);
      }
    });
  }
}

function candidateWithId(
  { candidates = [] }: TransferIntent,
  id: string | null | undefined,
): Row | undefined {
  return candidates.find((record) => record.id === id);
}

/** The intent of a row whose record in the target was matched. */
interface DecidedIntent extends TransferIntent {
  existing?: Row;
}

/** Adds references to the same resource or to later ones, as rows after all records of the resource. */
function addLateWrites(transfer: Transfer, resource: Resource, resourceIndex: number): void {
  const { ledger, session } = transfer;
  const fields = writeFieldsOf(session.api, resource);
  if (fields.laterFields.length + fields.laterLinkOperations.length === 0) return;
  let count = 0;
  for (const rows of ledger.batchesOf(resource.name, 'planned', 'done')) {
    const newRows: NewRow[] = [];
    for (const row of rows) {
      if (row.intent === null) continue;
      const steps = lateSteps(transfer, resource, row);
      if (steps.length === 0) continue;
      const seq = positionOfLateWrite(resourceIndex, count++);
      const action = steps.some(({ body, verb }) => verb === fields.update?.verb && body) ? 'update' : 'link';
      newRows.push({
        seq,
        line: null,
        key: row.key,
        resource: resource.name,
        state: 'planned',
        action,
        steps,
      });
    }
    ledger.add(newRows);
  }
}

function lateSteps(transfer: Transfer, resource: Resource, row: LedgerRow): Step[] {
  const { record: sourceRecord, existing, isReferenced } = row.intent as DecidedIntent;
  const { laterFields, laterLinkOperations, update } = writeFieldsOf(transfer.session.api, resource);
  if (existing && (isReferenced || isDeleted(sourceRecord))) return [];
  const laterNames = new Set([
    ...laterFields.map(({ responseName }) => responseName),
    ...laterLinkOperations.map(({ link }) => link?.field),
  ]);
  const { record, missingRelations } = translateRecord(transfer, resource, sourceRecord, (name) =>
    laterNames.has(name),
  );
  for (const name of missingRelations) transfer.report.addOmittedRelation(resource, name);
  const recordId: TargetId = targetId(transfer, resource.name, sourceRecord) ?? '';
  const newValues = bodyFrom({ body: laterFields }, record).body;
  const { body } = differenceOf(laterFields, newValues, existing ?? {});
  const hasValue = (value: unknown) => existing || (Array.isArray(value) ? value.length > 0 : value !== null);
  const changedBody = Object.fromEntries(Object.entries(body).filter(([, value]) => hasValue(value)));
  const steps =
    update && Object.keys(changedBody).length > 0
      ? [{ verb: update.verb, ids: [recordId], body: changedBody }]
      : [];
  return [
    ...steps.map((step) => ({ resource: resource.name, ...step })),
    ...laterLinkOperations
      .flatMap((link) => [...linksToSet(link, record), ...linksToRemove(transfer, link, record, existing)])
      .flatMap((link) => linkSteps(link, recordId, existing)),
  ];
}

/** Adds the deletions of records that are deleted in the source. They run at the end, when no record refers to them. */
function addDeletions(
  transfer: Transfer,
  resource: Resource,
  resourceIndex: number,
  resourceCount: number,
): void {
  const { ledger } = transfer;
  const deleteOperation = operation(resource, 'delete');
  if (!transfer.includesDeleted || !deleteOperation) return;
  let count = 0;
  for (const rows of ledger.batchesOf(resource.name, 'planned')) {
    const newRows: NewRow[] = [];
    for (const { intent, key, action } of rows) {
      const record = (intent as TransferIntent | null)?.record;
      if (!record || !isDeleted(record) || action !== 'create') continue;
      const id = { $row: rowName(resource.name, String(record.id)) };
      const steps = [{ resource: resource.name, verb: deleteOperation.verb, ids: [id] }];
      const seq = positionAtEnd(resourceIndex, resourceCount, count++);
      newRows.push({
        seq,
        line: null,
        key,
        resource: resource.name,
        state: 'planned',
        action: 'delete',
        steps,
      });
    }
    ledger.add(newRows);
  }
}

/** The number of rows that are written to the ledger at a time. */
const batchRows = 500;

type ReferencedIds = Map<string, Set<string>>;

/** Reads the records. Resources that refer to others are read first, which determines the referenced records to read. */
async function readSource(transfer: Transfer): Promise<void> {
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
function positionOfLateWrite(resourceIndex: number, count: number): number {
  return resourceIndex * positionsPerResource + positionsPerResource / 2 + count + 1;
}

/** Returns the position of a write at the end of the plan. Records that refer to others come first. */
function positionAtEnd(resourceIndex: number, resourceCount: number, count: number): number {
  return (2 * resourceCount - resourceIndex) * positionsPerResource + count + 1;
}
