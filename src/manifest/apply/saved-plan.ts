/** Saved plans of files: a plan is applied only if the records have not changed since. */

import { createHash } from 'node:crypto';
import { Failure, usage } from '../../base/errors.ts';
import { describeReadError } from '../../base/file-errors.ts';
import { boh } from '../../base/hint.ts';
import type { Api } from '../../contract/api.ts';
import { plainBodyField } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { fingerprintOfRows } from '../../runs/ledger/same-rows.ts';
import type { SecretReferences } from '../../runs/ledger/secret-references.ts';
import type { LimitFlags } from '../../runs/limits.ts';
import type { FileOwner } from '../../session/file-owner.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { isSqliteFile } from '../../storage/existing-file.ts';
import type { Declaration, Declared } from '../declared/declared.ts';
import { Ref } from '../declared/ref.ts';
import { type ChangeRecord, changeRecord } from '../plan/change.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';
import { fromStoredRecord, type StoredRecord, toStoredRecord, unknownName } from './stored-records.ts';

/** A plan as its file stores it. */
export interface SavedPlan {
  /** The account that the plan is for. */
  owner: FileOwner;
  declaration: Declaration;
  prune: Resource[];
  /** The changes at the time of the plan. */
  changes: readonly ChangeRecord[];
  /** The hash of the records at the time of the plan. */
  hash: string;
  /** The value of --max-deletes, if the plan was made with it. */
  maxDeletes?: string | undefined;
}

/** The declaration of the files that a saved plan was made from, and its changes. */
interface StoredDeclaration {
  changes: ChangeRecord[];
  prune: string[];
  resources: string[];
  records: StoredRecord[];
  hash: string;
  maxDeletes?: string | undefined;
}

const declarationProperty = 'declared';

/** Returns the fingerprint of what the files declare, wherever they are, to find runs that write the same. */
export function fingerprintOfDeclaration({ declaration, prune }: ManifestPlan): string {
  const records = declaration.records.map((record) => ({ ...toStoredRecord(record), location: undefined }));
  return fingerprintOfRows(
    records,
    prune.map(({ name }) => name),
  );
}

/**
 * Stores the declaration in the ledger of a plan, so that the plan is applied only if the records are
 * unchanged.
 */
export function storeDeclaration(ledger: Ledger, plan: ManifestPlan, { maxDeletes }: LimitFlags): void {
  const { records, resources } = plan.declaration;
  const stored: StoredDeclaration = {
    changes: plan.changes.map(changeRecord),
    prune: plan.prune.map(({ name }) => name),
    resources: resources.map(({ name }) => name),
    records: records.map(toStoredRecord),
    hash: planHash(plan),
    maxDeletes,
  };
  ledger.setProperty(declarationProperty, { ...stored, checksum: digest(stored) });
}

/**
 * Returns the plan in a file, or undefined for the ledger of a plan without a declaration. Throws `usage` if the
 * file isn't a plan or was changed after it was written.
 */
export function readSavedPlan(file: string, { api }: { api: Api }): SavedPlan | undefined {
  const stored = readStoredPlan(file);
  if (!stored) return undefined;
  const resource = (name: string): Resource => {
    const match = api.resource(name);
    if (!match) throw unknownName(name);
    return match;
  };
  const records = stored.records.map((record) => fromStoredRecord(record, resource(record.resource)));
  const declaration = { records, resources: stored.resources.map(resource) };
  return { ...stored, declaration, prune: stored.prune.map(resource) };
}

function readStoredPlan(file: string): (StoredDeclaration & { owner: FileOwner }) | undefined {
  try {
    if (!isSqliteFile(file)) throw invalidPlan(file);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw usage(`Can't read the plan ${file}: ${describeReadError(cause)}.`, { cause });
  }
  const ledger = new Ledger(file);
  try {
    const storedDeclaration = ledger.property(declarationProperty) as
      | (StoredDeclaration & { checksum: string })
      | undefined;
    const owner = ownerOfRun(ledger);
    if (!storedDeclaration || !owner) return undefined;
    refuseChangedSecrets(ledger.references, file);
    const { checksum, ...declaration } = storedDeclaration;
    if (checksum !== digest(declaration)) throw invalidPlan(file);
    return { ...declaration, owner };
  } finally {
    ledger.close();
  }
}

/** Throws `usage` if a secret of the plan is no longer set or has changed. */
function refuseChangedSecrets(references: SecretReferences, file: string): void {
  const missing = references.missing();
  if (missing.length === 0) return;
  throw usage(
    `The plan ${file} was made with a different value of ${missing.join(', ')}; nothing was sent.`,
    {
      hint: boh.hint`Set the original value, or plan again: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
    },
  );
}

function invalidPlan(file: string): Failure {
  return usage(`${file} isn't a saved plan, or was changed.`, {
    hint: boh.hint`To plan again: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
  });
}

/**
 * Returns a hash of the IDs of all records involved, the declared fields of matching records, and the records to
 * delete.
 */
export function planHash({ declaration, matches, changes, target }: ManifestPlan): string {
  const records = declaration.records.map((record) => {
    const row = matches.get(record);
    if (row && hasDeclaredValues(record, row, target)) return [record.resource.name, row.id, 'as declared'];
    const entries = [...record.values.values()].map(({ field }) => {
      const entry = field.update ?? field.create ?? plainBodyField(field.name, field.field);
      return row ? bodyFrom({ body: [entry] }, row).body : {};
    });
    return [record.resource.name, row?.id ?? null, row?.deleted_at ?? null, entries];
  });
  const deletions = changes.flatMap(({ action, resource, id }) =>
    action === 'delete' ? [[resource.name, id]] : [],
  );
  return digest({ records, gone: deletions });
}

/**
 * Returns whether a record has exactly the declared values: the hash of a saved plan contains no values of these
 * records.
 */
function hasDeclaredValues(record: Declared, row: Row, target: ManifestPlan['target']): boolean {
  if (isDeleted(row)) return false;
  return [...record.values.values()].every(({ field, value }) => {
    const { secret, writeOnly } = field.field.traits;
    const currentValue = row[field.name];
    if (secret || writeOnly) return false;
    if (!(value instanceof Ref)) return currentValue === value;
    const id = isRow(currentValue) ? currentValue.id : undefined;
    return id !== undefined && target(value)?.id === id;
  });
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
