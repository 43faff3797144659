/** Plans a transfer: matches and translates the records, and adds the writes to a ledger in dependency order. */
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { linkSteps } from '../runs/decide.ts';
import type { LedgerRow, NewRow, Step } from '../runs/ledger/row.ts';
import { differenceOf } from '../session/diff/fields.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';
import { decideRecord, linksToRemove, linksToSet } from './decide-record.ts';
import { candidatesOf, matchTarget } from './match-target.ts';
import { positionAtEnd, positionOfLateWrite, readSource } from './read-source.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';
import { type TargetId, targetId, translateRecord } from './translate.ts';
import { writeFieldsOf } from './write-fields.ts';

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
