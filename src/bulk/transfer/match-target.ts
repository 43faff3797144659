/** Which records of the target those of the source are: by id in the same account, else by what people know them by. */
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isDeleted } from '../../session/list.ts';
import { isRow, type Row } from '../../session/row.ts';
import { readings } from '../backup/read-account.ts';
import type { LedgerRow } from '../ledger/row.ts';
import type { Transfer, TransferIntent } from './transfer.ts';
import { type TargetId, targetId } from './translate.ts';

/** Records with the same key that are looked at for one row. */
const mostCandidates = 10;

/** Gives every row of the resource the records that could be it. Reads the target’s list once. */
export async function matchTarget(transfer: Transfer, resource: Resource): Promise<void> {
  const { ledger, session } = transfer;
  let marked = 0;
  for (const rows of ledger.stretchesOf(resource.name, 'read')) {
    ledger.write(() => {
      for (const row of rows) {
        const match = markOfRow(transfer, resource, (row.intent as TransferIntent).record);
        if (match === undefined) continue;
        ledger.change(row.seq, { match });
        marked++;
      }
    });
  }
  if (marked === 0) return;
  for (const list of readings(session, resource)) {
    for await (const records of list.batches()) note(transfer, resource, records);
  }
}

function note({ ledger, isSameAccount }: Transfer, resource: Resource, records: readonly Row[]): void {
  const byMark = new Map<string, Row[]>();
  for (const record of records) {
    for (const mark of marksOfRecord(resource, record, isSameAccount))
      byMark.set(mark, [...(byMark.get(mark) ?? []), record]);
  }
  const waiting = ledger.matching([...byMark.keys()], 'read');
  ledger.write(() => {
    for (const row of waiting) {
      const intent = row.intent as TransferIntent;
      const candidates = [...(intent.candidates ?? []), ...(byMark.get(markIn(row)) ?? [])];
      ledger.change(row.seq, { intent: { ...intent, candidates: candidates.slice(0, mostCandidates) } });
    }
  });
}

function markIn({ match }: LedgerRow): string {
  return match ?? '';
}

/** By the first key that it has a value of. */
function markOfRow(transfer: Transfer, resource: Resource, record: Row): string | undefined {
  if (transfer.isSameAccount) return markOfId(resource, record);
  if (keysOf(resource).length > 0) return keyMarks(resource, record)[0];
  return markOfAll(resource, record, (target, related) => targetId(transfer, target, related));
}

function marksOfRecord(resource: Resource, record: Row, isSameAccount: boolean): string[] {
  if (isSameAccount) return [markOfId(resource, record)];
  if (keysOf(resource).length > 0) return keyMarks(resource, record);
  const mark = markOfAll(resource, record, (_, related) => String(related.id));
  return mark === undefined ? [] : [mark];
}

function markOfId({ name }: Resource, { id }: Row): string {
  return JSON.stringify([name, 'id', id]);
}

/** What the service gives by itself, such as the reference of a cost adjustment, is another one in each account. */
function keysOf(resource: Resource): string[] {
  const written = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return resource.key.filter((key) => written.some(({ shown }) => shown === key));
}

/** What is set when a record is made tells it from others of its name: a tag of customers is none of suppliers. */
function keyMarks(resource: Resource, record: Row): string[] {
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const fixed = (create?.body ?? [])
    .filter(
      ({ name, field }) => field.kind === 'choice' && !update?.body.some((entry) => entry.name === name),
    )
    .map(({ shown }) => String(record[shown]));
  return keysOf(resource).flatMap((key) => {
    const value = record[key];
    const isThere = (typeof value === 'string' && value !== '') || typeof value === 'number';
    const text = String(value).normalize();
    return isThere ? [JSON.stringify([resource.name, key, text, ...fixed, isDeleted(record)])] : [];
  });
}

/** Where a record has no key, all of its texts and what it belongs to; none where that is still to be made. */
function markOfAll(
  resource: Resource,
  record: Row,
  idOf: (target: string, related: Row) => TargetId | undefined,
): string | undefined {
  const parts: unknown[] = [];
  for (const { shown, field } of operation(resource, 'create')?.body ?? []) {
    const value = record[shown] ?? null;
    if (field.kind === 'text' && !field.traits.secret) parts.push(value);
    if (field.kind !== 'one') continue;
    const id = isRow(value) ? idOf(field.traits.target ?? '', value) : null;
    if (id === undefined || typeof id === 'object') {
      if (id !== null) return undefined;
    }
    parts.push(id);
  }
  return JSON.stringify([resource.name, '', ...parts, isDeleted(record)]);
}
