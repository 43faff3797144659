/** Plans a transfer: matches and translates the records, and adds the writes to a ledger in dependency order. */
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { LedgerRow, NewRow, Step } from '../runs/ledger/row.ts';
import { differenceOf } from '../session/diff/fields.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';
import { bodiesOf, decideRecord, linkSteps, unlinkSteps } from './decide-record.ts';
import { matchTarget } from './match-target.ts';
import { placeOfEnd, placeOfLater, readSource } from './read-source.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';
import { type TargetId, targetId, translated } from './translate.ts';

/** Calls `onResource` before the target's records of a resource are read. */
export async function planTransfer(
  transfer: Transfer,
  onResource: (resource: Resource) => void = () => undefined,
): Promise<void> {
  const { session, ledger } = transfer;
  await readSource(transfer);
  await transfer.beforeMatching?.();
  const order = session.api.dependencyOrder().map(({ resource }) => resource);
  for (const [place, resource] of order.entries()) {
    if (ledger.batchesOf(resource.name, 'read').next().done) continue;
    onResource(resource);
    await matchTarget(transfer, resource);
    decideAll(transfer, resource);
    addLater(transfer, resource, place);
    addDeletions(transfer, resource, place, order.length);
  }
  // Deletes the data that only the decisions needed.
  for (const rows of ledger.batches('planned', 'done', 'bad'))
    ledger.write(() => {
      for (const { seq } of rows) ledger.change(seq, { intent: null });
    });
}

function decideAll(transfer: Transfer, resource: Resource): void {
  const { ledger, findings } = transfer;
  const claimed = new Set<string>();
  for (const rows of ledger.batchesOf(resource.name, 'read')) {
    transfer.onRows?.(rows.length);
    ledger.write(() => {
      for (const { seq, intent, name, key } of rows) {
        const asked = intent as TransferIntent;
        const decision = decideRecord({ transfer, resource, intent: asked, claimed });
        if (decision.is === 'row') {
          const { id } = decision.change;
          if (typeof id === 'string') claimed.add(id);
          ledger.change(seq, { ...decision.change, intent: { ...asked, found: foundIn(asked, id) } });
          continue;
        }
        if (decision.is === 'held') findings.addHeldBack(decision.why, resource, String(asked.record.id));
        else findings.addMissingTitle(name ?? '', key);
        ledger.remove(seq);
      }
    });
  }
}

function foundIn({ candidates = [] }: TransferIntent, id: string | null | undefined): Row | undefined {
  return candidates.find((record) => record.id === id);
}

interface Decided extends TransferIntent {
  found?: Row;
}

/** Adds references to the same resource or to later ones, as rows after all records of the resource. */
function addLater(transfer: Transfer, resource: Resource, place: number): void {
  const { ledger, session } = transfer;
  const bodies = bodiesOf(session.api, resource);
  if (bodies.later.length + bodies.laterLinks.length === 0) return;
  let count = 0;
  for (const rows of ledger.batchesOf(resource.name, 'planned', 'done')) {
    const added: NewRow[] = [];
    for (const row of rows) {
      if (row.intent === null) continue;
      const steps = laterSteps(transfer, resource, row);
      if (steps.length === 0) continue;
      const seq = placeOfLater(place, count++);
      const action = steps.some(({ body, verb }) => verb === bodies.update?.verb && body) ? 'update' : 'link';
      added.push({ seq, line: null, key: row.key, resource: resource.name, state: 'planned', action, steps });
    }
    ledger.add(added);
  }
}

function laterSteps(transfer: Transfer, resource: Resource, row: LedgerRow): Step[] {
  const { record: source, found, isReferenced } = row.intent as Decided;
  const { later, laterLinks, update } = bodiesOf(transfer.session.api, resource);
  if (found && (isReferenced || isDeleted(source))) return [];
  const names = new Set([
    ...later.map(({ responseName }) => responseName),
    ...laterLinks.map(({ link }) => link?.field),
  ]);
  const { record, missing } = translated(transfer, resource, source, (name) => names.has(name));
  for (const name of missing) transfer.findings.leaveOut(resource, name);
  const own: TargetId = targetId(transfer, resource.name, source) ?? '';
  const wanted = bodyFrom({ body: later }, record).body;
  const { body } = differenceOf(later, wanted, found ?? {});
  const isSomething = (value: unknown) => found || (Array.isArray(value) ? value.length > 0 : value !== null);
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => isSomething(value)));
  const steps = update && Object.keys(sent).length > 0 ? [{ verb: update.verb, ids: [own], body: sent }] : [];
  return [
    ...steps.map((step) => ({ resource: resource.name, ...step })),
    ...laterLinks.flatMap((set) => [
      ...linkSteps(set, own, record, found),
      ...unlinkSteps(transfer, set, record, found),
    ]),
  ];
}

/** Adds deletions of records that are deleted in the source, once nothing refers to them. */
function addDeletions(transfer: Transfer, resource: Resource, place: number, kinds: number): void {
  const { ledger } = transfer;
  const remove = operation(resource, 'delete');
  if (!transfer.withDeleted || !remove) return;
  let count = 0;
  for (const rows of ledger.batchesOf(resource.name, 'planned')) {
    const added: NewRow[] = [];
    for (const { intent, key, action } of rows) {
      const record = (intent as TransferIntent | null)?.record;
      if (!record || !isDeleted(record) || action !== 'create') continue;
      const id = { $row: rowName(resource.name, String(record.id)) };
      const steps = [{ resource: resource.name, verb: remove.verb, ids: [id] }];
      const seq = placeOfEnd(place, kinds, count++);
      added.push({
        seq,
        line: null,
        key,
        resource: resource.name,
        state: 'planned',
        action: 'delete',
        steps,
      });
    }
    ledger.add(added);
  }
}
