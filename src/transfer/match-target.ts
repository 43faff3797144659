/** Matches records of the source with records of the target: by id in the same account, otherwise by natural keys. */

import { isScalar } from '../base/number-text.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { matchingRows } from '../runs/match-key.ts';
import { isDeleted, recordsWithDeleted } from '../session/list.ts';
import { arePeople, fixedChoices, keyFieldsNamed, keyOfRecord } from '../session/record-key.ts';
import { isRow, type Row } from '../session/row.ts';
import { everyRecord } from './backup/read-account.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';
import { type TargetId, targetId } from './translate.ts';

/** The maximum number of records with the same key that are considered for a row. */
const maxCandidates = 10;

type MarksOf = (record: Row) => string[];

/** Finds the candidates of each row. Reads the target's list once, in the same account up to twice. */
export async function matchTarget(transfer: Transfer, resource: Resource): Promise<void> {
  if (!transfer.isSameAccount) return match(transfer, resource, () => true, byKeys(transfer, resource));
  await match(transfer, resource, () => true, { ofSource: byId(resource), ofTarget: byId(resource) });
  // A deleted record that can't be restored may have been created again, with a new id, by an earlier restore.
  const isGone = ({ candidates = [] }: TransferIntent) =>
    !candidates.some((record) => resource.restore !== undefined || !isDeleted(record));
  await match(transfer, resource, isGone, byKeys(transfer, resource));
}

/** Collects the keys of the rows, and the records of the target that have one of these keys. */
async function match(
  transfer: Transfer,
  resource: Resource,
  isWanted: (intent: TransferIntent) => boolean,
  marks: { ofSource: MarksOf; ofTarget: MarksOf },
): Promise<void> {
  const { ledger, session } = transfer;
  let marked = 0;
  for (const rows of ledger.batchesOf(resource.name, 'read')) {
    ledger.write(() => {
      for (const { seq, intent } of rows) {
        const asked = intent as TransferIntent;
        const [mark] = isWanted(asked) ? marks.ofSource(asked.record) : [];
        ledger.change(seq, { match: mark ?? null });
        if (mark !== undefined) marked++;
      }
    });
  }
  if (marked === 0) return;
  for await (const records of recordsWithDeleted(session, everyRecord(session, resource)))
    note(transfer, records, marks.ofTarget);
}

function note({ ledger, onRows }: Transfer, records: readonly Row[], marksOf: MarksOf): void {
  onRows?.(records.length);
  ledger.write(() => {
    for (const { row, records: own } of matchingRows(ledger, records, marksOf, 'read')) {
      const intent = row.intent as TransferIntent;
      const candidates = [...(intent.candidates ?? []), ...own];
      ledger.change(row.seq, { intent: { ...intent, candidates: candidates.slice(-maxCandidates) } });
    }
  });
}

function byId({ name }: Resource): MarksOf {
  return ({ id }) => [JSON.stringify([name, 'id', id])];
}

/** Uses the first key for which a record of the source has a value. */
function byKeys(transfer: Transfer, resource: Resource): { ofSource: MarksOf; ofTarget: MarksOf } {
  const { ledger, isSameAccount } = transfer;
  // A record that was matched by id is not a candidate for others.
  const isTaken = ({ id }: Row) =>
    isSameAccount && ledger.named(rowName(resource.name, String(id))) !== undefined;
  if (keysOf(resource).length === 0 || isAnotherThere(transfer, resource)) {
    return {
      ofSource: (record) => allMarks(resource, record, (target, one) => targetId(transfer, target, one)),
      ofTarget: (record) => (isTaken(record) ? [] : allMarks(resource, record, (_, one) => String(one.id))),
    };
  }
  // Two people may share a name: if one of them has a phone number, the name alone doesn't match.
  const isPerson = arePeople(resource);
  const ofTarget = (record: Row) => keyMarks(resource, record).slice(0, isPerson ? 1 : undefined);
  return {
    ofSource: (record) => keyMarks(resource, record),
    ofTarget: (record) => (isTaken(record) ? [] : ofTarget(record)),
  };
}

/** Returns whether records are separate in each account: transactions with the same reference are different ones. */
export function isAnotherThere({ isSameAccount }: Transfer, { transactional }: Resource): boolean {
  return transactional === true && !isSameAccount;
}

/** Returns the keys without values that the service assigns, such as references of cost adjustments. */
function keysOf(resource: Resource): string[] {
  const written = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return resource.key.filter((key) => written.some(({ responseName }) => responseName === key));
}

/** Returns a record's keys, each with the fields that can't be changed after creation. */
function keyMarks(resource: Resource, record: Row): string[] {
  const fixed = fixedChoices(resource).map(({ responseName }) => String(record[responseName]));
  return keysOf(resource).flatMap((name) => {
    const form = keyOfRecord(record, keyFieldsNamed(resource, [name]));
    return form === undefined
      ? []
      : [JSON.stringify([resource.name, name, form, ...fixed, isDeleted(record)])];
  });
}

/** Returns all texts, lines and parents of a record without a key; none if a parent doesn't exist yet. */
function allMarks(
  resource: Resource,
  record: Row,
  idOf: (target: string, related: Row) => TargetId | undefined,
): string[] {
  const parts: unknown[] = [];
  for (const { responseName, field } of operation(resource, 'create')?.body ?? []) {
    const { kind, traits } = field;
    const value = record[responseName] ?? null;
    // If it is left out, the target's record has nothing there either.
    const idIn = (related: Row) => idOf(traits.target ?? '', related) ?? '';
    if (kind === 'text' && !traits.secret) parts.push(value);
    // The signed-in user replaces a missing user.
    else if (kind === 'one' && !traits.defaultsToSignedInUser) parts.push(isRow(value) ? idIn(value) : '');
    else if (traits.amountField !== undefined && Array.isArray(value))
      parts.push(...linesIn(value.filter(isRow), traits.amountField, idIn));
  }
  const isToBeMade = parts.some((part) => !isScalar(part));
  return isToBeMade ? [] : [JSON.stringify([resource.name, '', ...parts, isDeleted(record)])];
}

/** Sorts lines by content and adds a counter to identical ones. */
function linesIn(links: readonly Row[], amount: string, idIn: (related: Row) => TargetId): unknown[] {
  const numberIn = (link: Row) => Number((isRow(link.pivot) ? link.pivot : link)[amount]);
  return links
    .map((link) => [idIn(link), numberIn(link)] as const)
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
    .flat();
}
