/** Saved plans of files: a plan is carried out only if the records have not changed since. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readBoundedFile } from '../../base/bounded-read.ts';
import type { Environment } from '../../base/environment.ts';
import { type Failure, usage } from '../../base/errors.ts';
import { describeReadError } from '../../base/file-errors.ts';
import { boh } from '../../base/hint.ts';
import { isScalar, parseExactJson } from '../../base/number-text.ts';
import type { Api } from '../../contract/api.ts';
import { plainBodyField } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { openLedgerFile } from '../../runs/ledger/runs.ts';
import { SecretReferences, type StoredSecrets } from '../../runs/ledger/secret-references.ts';
import type { LimitFlags } from '../../runs/limits.ts';
import { type FileOwner, type OwnerFields, ownerFrom } from '../../session/file-owner.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { isSqliteFile } from '../../storage/existing-file.ts';
import type { Declaration, Declared, DeclaredValue, KeyPart } from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import { type RecordIdentifier, Ref } from '../declared/ref.ts';
import { type ChangeRecord, changeRecord, type ExpandedVariables } from '../plan/change.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';
import { type FileLocation, plainLocation } from '../source/node.ts';

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
  maxDeletes?: string;
  /** Whether the deletions were checked when the plan was made, as earlier versions did. */
  isChecked: boolean;
}

/** The declaration of the files that a saved plan was made from, and its changes. */
interface StoredDeclaration {
  changes: ChangeRecord[];
  prune: string[];
  resources: string[];
  records: StoredRecord[];
  hash: string;
  /** The limits of the plan. Missing in plans of earlier versions, which were only saved within their limits. */
  limits?: { max_deletes?: string };
}

/** The JSON file of a plan that an earlier version saved. Some of these describe the account incompletely. */
interface StoredPlan extends StoredDeclaration, Partial<OwnerFields> {
  place: string;
  boh_plan: 1;
  /** The hashes of known secrets, which are stored as references. */
  secrets?: StoredSecrets;
}

interface StoredRecord {
  resource: string;
  at: FileLocation;
  key: KeyPart[];
  old_key?: KeyPart[];
  exact: boolean;
  /** Missing in plans of earlier versions, and if the record isn't declared absent. */
  absent?: true;
  given: Record<string, unknown>;
  /** Missing in plans of earlier versions, and if no variable was expanded. */
  expanded?: ExpandedVariables;
}

const declarationFact = 'declared';

/**
 * Stores the declaration in the ledger of a plan, so that the plan is carried out only if the records are
 * unchanged.
 */
export function storeDeclaration(ledger: Ledger, plan: ManifestPlan, { maxDeletes }: LimitFlags): void {
  const { records, resources } = plan.declaration;
  const stored: StoredDeclaration = {
    changes: plan.changes.map(changeRecord),
    prune: plan.prune.map(({ name }) => name),
    resources: resources.map(({ name }) => name),
    records: records.map(storedRecord),
    hash: hashOf(plan),
    limits: { ...(maxDeletes !== undefined && { max_deletes: maxDeletes }) },
  };
  ledger.setProperty(declarationFact, { ...stored, checksum: digest(stored) });
}

/**
 * Returns the plan in a file, or undefined for the ledger of a plan without a declaration. Throws `usage` if the
 * file is no plan or was changed after it was written.
 */
export async function readSavedPlan(
  file: string,
  { env, api }: { env: Environment; api: Api },
): Promise<SavedPlan | undefined> {
  const stored = isLedger(file) ? readLedgerPlan(file, env) : await readPlanFile(file);
  if (!stored) return undefined;
  const resource = (name: string): Resource => {
    const found = api.resource(name);
    if (!found) throw unknownName(name);
    return found;
  };
  const { owner, changes, hash, limits } = stored;
  const records = stored.records.map((record) => declaredFrom(record, resource(record.resource)));
  const declaration = { records, resources: stored.resources.map(resource) };
  const maxDeletes = limits?.max_deletes;
  return {
    ...{
      owner,
      hash,
      changes,
      declaration,
      prune: stored.prune.map(resource),
      isChecked: limits === undefined,
    },
    ...(maxDeletes !== undefined && { maxDeletes }),
  };
}

/** Returns whether the file is a ledger. A missing or unreadable file is reported by the function that reads it. */
function isLedger(file: string): boolean {
  return existsSync(file) && isSqliteFile(file);
}

function readLedgerPlan(
  file: string,
  env: Environment,
): (StoredDeclaration & { owner: FileOwner }) | undefined {
  const ledger = openLedgerFile(env, file);
  try {
    const fact = ledger.property(declarationFact) as (StoredDeclaration & { checksum: string }) | undefined;
    const owner = ownerOfRun(ledger);
    if (!fact || !owner) return undefined;
    refuseUnknown(ledger.references, file);
    const { checksum: known, ...declaring } = fact;
    if (known !== digest(declaring)) throw invalidPlan(file);
    return { ...declaring, owner };
  } finally {
    ledger.close();
  }
}

async function readPlanFile(file: string): Promise<StoredDeclaration & { owner: FileOwner }> {
  const bytes = await readBoundedFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw usage(`Can't read the plan ${file}: ${describeReadError(cause)}.`, { cause });
  });
  const plan = parsePlan(bytes.toString());
  if (!plan) throw invalidPlan(file);
  const references = new SecretReferences(() => plan.secrets);
  refuseUnknown(references, file);
  const stored = references.fillInValue(plan) as StoredPlan;
  return { ...stored, owner: ownerFrom(stored.place, stored) };
}

/** Throws `usage` if a secret of the plan is no longer set or has changed. */
function refuseUnknown(references: SecretReferences, file: string): void {
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

function parsePlan(text: string): StoredPlan | undefined {
  try {
    const { checksum: known, ...stored } = parseExactJson(text) as StoredPlan & { checksum: string };
    return stored.boh_plan === 1 && known === digest(stored) ? stored : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Returns a hash of the IDs of all records involved, the declared fields of matching records, and the records to
 * delete.
 */
export function hashOf({ declaration, matches, changes, target }: ManifestPlan): string {
  const records = declaration.records.map((record) => {
    const row = matches.get(record);
    if (row && hasDeclaredValues(record, row, target)) return [record.resource.name, row.id, 'as declared'];
    const entries = [...record.given.values()].map(({ field }) => {
      const entry = field.update ?? field.create ?? plainBodyField(field.name, field.field);
      return row ? bodyFrom({ body: [entry] }, row).body : {};
    });
    return [record.resource.name, row?.id ?? null, row?.deleted_at ?? null, entries];
  });
  const deleted = changes.flatMap(({ action, resource, id }) =>
    action === 'delete' ? [[resource.name, id]] : [],
  );
  return digest({ records, gone: deleted });
}

/**
 * Returns whether a record has exactly the declared values: the hash of a saved plan contains no values of these
 * records.
 */
function hasDeclaredValues(record: Declared, row: Row, target: ManifestPlan['target']): boolean {
  if (isDeleted(row)) return false;
  return [...record.given.values()].every(({ field, value }) => {
    const { secret, writeOnly } = field.field.traits;
    const shown = row[field.name];
    if (secret || writeOnly) return false;
    if (!(value instanceof Ref)) return shown === value;
    const id = isRow(shown) ? shown.id : undefined;
    return id !== undefined && target(value)?.id === id;
  });
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function storedRecord({ resource, location, key, oldKey, isExact, isAbsent, given }: Declared): StoredRecord {
  const expanded = [...given].flatMap(([name, one]) => (one.expanded ? [[name, one.expanded] as const] : []));
  return {
    resource: resource.name,
    at: plainLocation(location),
    key: key.map(({ name, value }) => ({ name, value: stored(value) })),
    ...(oldKey && { old_key: oldKey.map(({ name, value }) => ({ name, value: stored(value) })) }),
    exact: isExact === true,
    ...(isAbsent && { absent: true }),
    given: Object.fromEntries([...given].map(([name, { value }]) => [name, stored(value)])),
    ...(expanded.length > 0 && { expanded: Object.fromEntries(expanded) }),
  };
}

function declaredFrom(
  { at, key, old_key: oldKey, exact, absent, given, expanded = {} }: StoredRecord,
  resource: Resource,
): Declared {
  const fields = manifestFields(resource);
  const entries = Object.entries(given).map(([name, value]): [string, DeclaredValue] => {
    const field = fields.get(name);
    if (!field) throw unknownName(`${resource.command} ${name}`);
    const variables = Object.hasOwn(expanded, name) && expanded[name];
    return [name, { field, value: restored(value), location: at, ...(variables && { expanded: variables }) }];
  });
  const parts = (all: KeyPart[]) => all.map(({ name, value }) => ({ name, value: restored(value) }));
  return {
    resource,
    location: at,
    key: parts(key),
    oldKey: oldKey && parts(oldKey),
    isExact: exact,
    ...(absent && { isAbsent: true }),
    given: new Map(entries),
  };
}

interface StoredRef {
  $ref: { target: string; by: RecordIdentifier; at: FileLocation; only?: Ref['only'] };
}

function stored(value: unknown): unknown {
  if (value instanceof Ref) {
    const { target, by, location, only } = value;
    return { $ref: { target, by, at: plainLocation(location), ...(only && { only }) } } satisfies StoredRef;
  }
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, stored(inner)]));
}

function restored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if ('$ref' in value) {
    const { target, by, at, only } = (value as StoredRef).$ref;
    return new Ref(target, by, at, only);
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restored(inner)]));
}

function unknownName(name: string): Failure {
  return usage(`The plan contains ${name}, which this version of boh doesn't support.`, {
    hint: boh.hint`To plan again with this version: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
  });
}
