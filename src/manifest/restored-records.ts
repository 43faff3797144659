/** Removes the records from a declaration that would be restored: a rehearsal can't copy deleted records. */
import { isDeleted } from '../session/list.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { CopiedDeclaration } from './copied-names.ts';
import { type Declaration, type Declared, formatRecordKey, normalizeKeyValue } from './declared/declared.ts';
import { Ref } from './declared/ref.ts';
import { refsOf } from './plan/lookups.ts';
import { makePlan } from './plan/make-plan.ts';
import type { PullResult } from './pull/pull.ts';

/**
 * Removes the deleted records that apply would restore, and the records that refer to them, with one message for
 * each.
 */
export async function omitRestoredRecords(
  declaration: Declaration,
  pulled: PullResult,
  account: Session,
  signal: AbortSignal,
): Promise<CopiedDeclaration> {
  const missing = declaration.records.filter(
    (record) => record.resource.restore && !isInCopy(pulled, record),
  );
  if (missing.length === 0) return { declaration, limits: [] };
  const missingDeclaration = { ...declaration, records: missing };
  const { matches } = await makePlan({
    session: account,
    declaration: missingDeclaration,
    prune: [],
    isCompared: true,
    signal,
  });
  const deletedRows = new Map<Declared, Row>();
  for (const record of missing) {
    const row = matches.get(record);
    if (row && isDeleted(row)) deletedRows.set(record, row);
  }
  const dependents = declaration.records.filter(
    (record) => !deletedRows.has(record) && refsOf(record).some((ref) => refersToAny(ref, deletedRows)),
  );
  const limits = [
    ...[...deletedRows.keys()].map(
      (record) =>
        `Not in the copy, because it is deleted in the account and would be restored: the ${describeRecord(record)}`,
    ),
    ...dependents.map(
      (record) =>
        `Not rehearsed, because it refers to a record that would be restored: the ${describeRecord(record)}`,
    ),
  ];
  const omittedRecords = new Set([...deletedRows.keys(), ...dependents]);
  return {
    declaration: {
      ...declaration,
      records: declaration.records.filter((record) => !omittedRecords.has(record)),
    },
    limits,
  };
}

function describeRecord(record: Declared): string {
  return `${record.resource.noun} ${formatRecordKey(record)}`;
}

/** Returns whether a record of the copy has the key or the former key of a declared record. */
function isInCopy({ keys }: PullResult, { resource, key, oldKey }: Declared): boolean {
  const resourceKeys = keys.get(resource.name);
  const hasKey = (parts: Declared['key']) =>
    parts.every(({ value }) => typeof value === 'string' && resourceKeys?.hasKey(value, undefined));
  return hasKey(key) || (oldKey !== undefined && hasKey(oldKey));
}

function refersToAny({ target, by }: Ref, deletedRows: ReadonlyMap<Declared, Row>): boolean {
  for (const [{ resource, values }, row] of deletedRows) {
    if (resource.name !== target) continue;
    const valuesOf = (name: string) => [row[name], values.get(name)?.value].filter((value) => value != null);
    const hasValue = (name: string, value: unknown) =>
      value instanceof Ref ||
      valuesOf(name).some(
        (recordValue) =>
          normalizeKeyValue(resource, name, recordValue) === normalizeKeyValue(resource, name, value),
      );
    if (by.kind === 'id' && row.id === by.id) return true;
    if (by.kind === 'text' && ['id', ...resource.key].some((name) => hasValue(name, by.text))) return true;
    if (by.kind === 'fields' && Object.entries(by.fields).every(([name, value]) => hasValue(name, value)))
      return true;
  }
  return false;
}
