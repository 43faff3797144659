/** Matches records of the source with records of the target: by ID in the same account, otherwise by natural keys. */

import { isDeleted, recordsWithDeleted } from '../../account/session/list.ts';
import {
  choicesFixedOnCreation,
  identifiesPeople,
  keyText,
  relateRecords,
} from '../../account/session/record-key.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import { foldKey } from '../../api/contract/normalize-key.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { isScalar } from '../../base/number-text.ts';
import type { LedgerRow } from '../runs/ledger/row.ts';
import { findMatchingRows } from '../runs/match-key.ts';
import { completeListCall } from './backup/read-account.ts';
import { rowName, type Transfer, type TransferIntent } from './transfer.ts';
import { type TargetId, targetId } from './translate.ts';

/** The maximum number of records with the same key that are considered for a row. */
const maxCandidates = 10;

type MatchKeysOf = (record: Row) => string[];

/** Finds the candidates of each row. Reads the target's list once, or up to twice in the same account. */
export async function matchTarget(transfer: Transfer, resource: Resource): Promise<void> {
  if (!transfer.isSameAccount)
    return match(transfer, resource, () => true, naturalMatchKeys(transfer, resource));
  await match(transfer, resource, () => true, {
    ofSource: idMatchKeys(resource),
    ofTarget: idMatchKeys(resource),
  });
  // An earlier restore may have created a deleted record again, with a new ID.
  const isUnmatched = ({ candidates = [] }: TransferIntent) =>
    !candidates.some((record) => resource.restore !== undefined || !isDeleted(record));
  await match(transfer, resource, isUnmatched, naturalMatchKeys(transfer, resource));
}

/** Stores the match keys of the rows, and adds the target's records with these keys as candidates. */
async function match(
  transfer: Transfer,
  resource: Resource,
  isIncluded: (intent: TransferIntent) => boolean,
  matchKeys: { ofSource: MatchKeysOf; ofTarget: MatchKeysOf },
): Promise<void> {
  const { ledger, session } = transfer;
  let matchedCount = 0;
  for (const rows of ledger.batchesOf(resource.name, 'read')) {
    ledger.write(() => {
      for (const { seq, intent } of rows) {
        const transferIntent = intent as TransferIntent;
        const [matchKey] = isIncluded(transferIntent) ? matchKeys.ofSource(transferIntent.record) : [];
        ledger.change(seq, { match: matchKey ?? null });
        if (matchKey !== undefined) matchedCount++;
      }
    });
  }
  if (matchedCount === 0) return;
  for await (const records of recordsWithDeleted(session, completeListCall(session, resource)))
    addCandidates(transfer, records, matchKeys.ofTarget);
}

/** Adds records of the target to the candidates of the rows with the same match key. */
function addCandidates(
  { ledger, onRows }: Transfer,
  records: readonly Row[],
  matchKeysOf: MatchKeysOf,
): void {
  onRows?.(records.length);
  ledger.write(() => {
    for (const { row, records: matchingRecords } of findMatchingRows(ledger, records, matchKeysOf, 'read')) {
      const intent = row.intent as TransferIntent;
      const candidates = [...(intent.candidates ?? []), ...matchingRecords];
      ledger.change(row.seq, { intent: { ...intent, candidates: candidates.slice(-maxCandidates) } });
    }
  });
}

/**
 * Returns the records of the target that match a row: those with the same key, otherwise the only one with another spelling of
 * it, which is reported. A spelling that several rows share matches none.
 */
export function candidatesOf(
  { ledger, session, isSameAccount }: Transfer,
  { noun, fields }: Resource,
  { match, intent }: LedgerRow,
): Row[] {
  const { record, candidates = [] } = intent as TransferIntent;
  const [, name = ''] = JSON.parse(match ?? '[]') as string[];
  const key = [{ responseName: name, field: fields[name] }];
  if (match === null || !fields[name] || name === 'id') return candidates;
  const isSame = (row: Row) =>
    (isSameAccount && row.id === record.id) || relateRecords(key, record, row) === 'same';
  const same = candidates.filter(isSame);
  const folded = candidates.filter((row) => relateRecords(key, record, row) === 'folded');
  const [spelled, ...others] = folded;
  const rows = ledger.rowsWithMatchKeys([match], 'read', 'planned', 'done', 'bad');
  if (same.length > 0 || !spelled || others.length + rows.length > 1) return same;
  session.spellings.add({
    subject: `${noun} ${name}`,
    written: String(record[name]),
    stored: String(spelled[name]),
  });
  return folded;
}

function idMatchKeys({ name }: Resource): MatchKeysOf {
  return ({ id }) => [JSON.stringify([name, 'id', id])];
}

/** Returns match keys by natural key. A record of the source is matched by the first key field that has a value. */
function naturalMatchKeys(
  transfer: Transfer,
  resource: Resource,
): { ofSource: MatchKeysOf; ofTarget: MatchKeysOf } {
  const { ledger, isSameAccount } = transfer;
  // A record that was matched by ID is not a candidate for others.
  const isMatchedById = ({ id }: Row) =>
    isSameAccount && ledger.rowNamed(rowName(resource.name, String(id))) !== undefined;
  if (keyFieldsOf(resource).length === 0 || isSeparatePerAccount(transfer, resource)) {
    return {
      ofSource: (record) =>
        contentMatchKeys(resource, record, (target, related) => targetId(transfer, target, related)),
      ofTarget: (record) =>
        isMatchedById(record) ? [] : contentMatchKeys(resource, record, (_, related) => String(related.id)),
    };
  }
  // Two people can have the same name: if one of them has a phone number, the name isn't enough to match them.
  const isPerson = identifiesPeople(resource);
  const ofTarget = (record: Row) => keyMatchKeys(resource, record).slice(0, isPerson ? 1 : undefined);
  return {
    ofSource: (record) => keyMatchKeys(resource, record),
    ofTarget: (record) => (isMatchedById(record) ? [] : ofTarget(record)),
  };
}

/** Returns whether the records of two accounts are always different: transactions, even with the same reference. */
export function isSeparatePerAccount({ isSameAccount }: Transfer, { transactional }: Resource): boolean {
  return transactional === true && !isSameAccount;
}

/** Returns the key fields that can be written. The service assigns others, such as references of cost adjustments. */
function keyFieldsOf(resource: Resource): string[] {
  const writableFields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return resource.key.filter((key) => writableFields.some(({ responseName }) => responseName === key));
}

/**
 * Returns a match key for each key field of a record, with the fields that can't be changed after creation. Keys are folded;
 * `candidatesOf` chooses among the records.
 */
function keyMatchKeys(resource: Resource, record: Row): string[] {
  const fixedValues = choicesFixedOnCreation(resource).map(({ responseName }) =>
    String(record[responseName]),
  );
  return keyFieldsOf(resource).flatMap((name) => {
    const text = keyText(record, { responseName: name, field: resource.fields[name] });
    const folded = text === undefined ? [] : [foldKey(resource.fields[name], text)];
    return folded.map((key) => JSON.stringify([resource.name, name, key, ...fixedValues, isDeleted(record)]));
  });
}

/**
 * Returns a match key for a record without a natural key: its text fields, lines and parents. Returns none if a parent doesn't
 * exist yet.
 */
function contentMatchKeys(
  resource: Resource,
  record: Row,
  idOf: (target: string, related: Row) => TargetId | undefined,
): string[] {
  const parts: unknown[] = [];
  for (const { responseName, field } of operation(resource, 'create')?.body ?? []) {
    const { kind, traits } = field;
    const value = record[responseName] ?? null;
    // If the relation is omitted, the target's record doesn't have it either.
    const idIn = (related: Row) => idOf(traits.target ?? '', related) ?? '';
    if (kind === 'text' && !traits.secret) parts.push(value);
    // The signed-in user replaces a missing user.
    else if (kind === 'one' && !traits.defaultsToSignedInUser) parts.push(isRow(value) ? idIn(value) : '');
    else if (traits.amountField !== undefined && Array.isArray(value))
      parts.push(...partsOfLines(value.filter(isRow), traits.amountField, idIn));
  }
  const hasNewParent = parts.some((part) => !isScalar(part));
  return hasNewParent ? [] : [JSON.stringify([resource.name, '', ...parts, isDeleted(record)])];
}

/** Returns the records and amounts of lines, sorted by record. */
function partsOfLines(links: readonly Row[], amount: string, idIn: (related: Row) => TargetId): unknown[] {
  const amountOf = (link: Row) => Number((isRow(link.pivot) ? link.pivot : link)[amount]);
  return links
    .map((link) => [idIn(link), amountOf(link)] as const)
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    .flat();
}
