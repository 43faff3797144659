/** A plan in a file: what was declared, for which account, and how its records were then. It is carried out only where all of that still is so. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeWhole } from '../../bulk/export/whole-file.ts';
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Failure, usage } from '../../errors.ts';
import { exactJson, isScalar } from '../../number-text.ts';
import { type FileOwner, type OwnerFields, ownerFields, ownerFrom } from '../../session/file-owner.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { whyNotRead } from '../../unreadable.ts';
import type { Declaration, Declared, Given, KeyPart } from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import { type By, Ref } from '../declared/ref.ts';
import { type ChangeRecord, changeRecord } from '../plan/change.ts';
import type { Plan } from '../plan/make-plan.ts';
import { type Place, plainPlace } from '../source/node.ts';

export interface SavedPlan {
  /** The account that it is for. */
  owner: FileOwner;
  declaration: Declaration;
  prune: Resource[];
  /** Of the records as they were. */
  hash: string;
}

/** Plans of earlier versions say less of the account. */
interface Stored extends Partial<OwnerFields> {
  place: string;
  boh_plan: 1;
  changes: ChangeRecord[];
  prune: string[];
  resources: string[];
  records: StoredRecord[];
  hash: string;
}

interface StoredRecord {
  resource: string;
  at: Place;
  key: KeyPart[];
  old_key?: KeyPart[];
  exact: boolean;
  given: Record<string, unknown>;
}

export async function savePlan(
  file: string,
  plan: Plan,
  prune: readonly Resource[],
  account: FileOwner,
): Promise<void> {
  const { records, resources } = plan.declaration;
  const stored: Stored = {
    boh_plan: 1,
    place: account.place,
    ...ownerFields(account),
    changes: plan.changes.map(changeRecord),
    prune: prune.map(({ name }) => name),
    resources: resources.map(({ name }) => name),
    records: records.map(storedRecord),
    hash: hashOf(plan),
  };
  const text = `${JSON.stringify({ ...stored, checksum: checksum(stored) }, null, 1)}\n`;
  await writeWhole(
    file,
    (async function* () {
      yield text;
    })(),
  );
}

/** Throws `usage` where it is none, or is not as it was written. */
export async function readSavedPlan(file: string, api: Api): Promise<SavedPlan> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw usage(`The plan ${file} can’t be read: ${whyNotRead(cause)}.`, { cause });
  });
  const stored = storedIn(text);
  if (!stored)
    throw usage(`${file} is no plan that boh has written, or was changed since.`, {
      hint: 'Plan anew: boh plan PATH --out FILE',
    });
  const resource = (name: string): Resource => {
    const found = api.resource(name);
    if (!found) throw unknownHere(name);
    return found;
  };
  const { place, hash } = stored;
  const records = stored.records.map((record) => declaredFrom(record, resource(record.resource)));
  const declaration = { records, resources: stored.resources.map(resource) };
  return { owner: ownerFrom(place, stored), hash, declaration, prune: stored.prune.map(resource) };
}

function storedIn(text: string): Stored | undefined {
  try {
    const { checksum: known, ...stored } = exactJson(text) as Stored & { checksum: string };
    return stored.boh_plan === 1 && known === checksum(stored) ? stored : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Of which records there are, of what the declared ones hold where they are declared, and of what would go. */
export function hashOf({ declaration, matches, changes, target }: Plan): string {
  const records = declaration.records.map((record) => {
    const row = matches.get(record);
    if (row && isAsDeclared(record, row, target)) return [record.resource.name, row.id, 'as declared'];
    const entries = [...record.given.values()].map(({ field }) => {
      const entry = field.update ??
        field.create ?? {
          name: field.name,
          shown: field.name,
          field: field.field,
          isRequired: false,
          mustBeGiven: false,
        };
      return row ? bodyFrom({ body: [entry] }, row).body : {};
    });
    return [record.resource.name, row?.id ?? null, row?.deleted_at ?? null, entries];
  });
  const gone = changes.flatMap(({ action, resource, id }) =>
    action === 'delete' ? [[resource.name, id]] : [],
  );
  return digest({ records, gone });
}

/** Whether a record shows each declared value word for word: the hash of a saved plan has no values of such records. */
function isAsDeclared(record: Declared, row: Row, target: Plan['target']): boolean {
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

function checksum(stored: Stored): string {
  return digest(stored);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function storedRecord({ resource, at, key, oldKey, isExact, given }: Declared): StoredRecord {
  return {
    resource: resource.name,
    at: plainPlace(at),
    key: key.map(({ name, value }) => ({ name, value: stored(value) })),
    ...(oldKey && { old_key: oldKey.map(({ name, value }) => ({ name, value: stored(value) })) }),
    exact: isExact === true,
    given: Object.fromEntries([...given].map(([name, { value }]) => [name, stored(value)])),
  };
}

function declaredFrom(
  { at, key, old_key: oldKey, exact, given }: StoredRecord,
  resource: Resource,
): Declared {
  const fields = manifestFields(resource);
  const entries = Object.entries(given).map(([name, value]): [string, Given] => {
    const field = fields.get(name);
    if (!field) throw unknownHere(`${resource.command} ${name}`);
    return [name, { field, value: restored(value), at }];
  });
  const parts = (all: KeyPart[]) => all.map(({ name, value }) => ({ name, value: restored(value) }));
  return {
    resource,
    at,
    key: parts(key),
    oldKey: oldKey && parts(oldKey),
    isExact: exact,
    given: new Map(entries),
  };
}

interface StoredRef {
  $ref: { target: string; by: By; at: Place; only?: Ref['only'] };
}

function stored(value: unknown): unknown {
  if (value instanceof Ref) {
    const { target, by, at, only } = value;
    return { $ref: { target, by, at: plainPlace(at), ...(only && { only }) } } satisfies StoredRef;
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

function unknownHere(name: string): Failure {
  return usage(`The plan names ${name}, which this version of boh doesn’t know.`, {
    hint: 'Plan anew with this version: boh plan PATH --out FILE',
  });
}
