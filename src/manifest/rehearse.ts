/** Rehearses a declaration: copies the records that it affects into an empty account, and applies it there. */
import type { Environment } from '../base/environment.ts';
import { Failure } from '../base/errors.ts';
import { fieldsToInclude } from '../contract/include.ts';
import { operation, requireOperation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { isDeleted, isRefusedList } from '../session/list.ts';
import { MissingFields } from '../session/missing-fields.ts';
import { bodyFrom, linksIn, pivotOf } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { replaceHint } from '../session/update-guard.ts';
import { type ApplyAllResult, applyAll } from './apply/apply-all.ts';
import { type CopiedDeclaration, declarationForCopy } from './copied-names.ts';
import {
  type Declaration,
  type Declared,
  formatRecordKey,
  mapRefs,
  normalizeKeyValue,
} from './declared/declared.ts';
import { builtInRole } from './declared/fields.ts';
import { parseDeclaration } from './declared/parse-records.ts';
import { Ref, refsIn } from './declared/ref.ts';
import { refsOf } from './plan/lookups.ts';
import { makePlan } from './plan/make-plan.ts';
import { type PullResult, pull, withTargets } from './pull/pull.ts';
import { Mistakes } from './source/mistakes.ts';

/** The accounts and functions that a rehearsal needs. */
export interface RehearsalOptions {
  /** The account is read and never written to. */
  account: Session;
  /** An empty account for the copy, which is discarded afterwards. */
  copySession: Session;
  /** The same account as `copySession`, with the write settings of the real account. */
  applySession: Session;
  declaration: Declaration;
  env: Environment;
  signal: AbortSignal;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Creates records in the copy that the API can't list, with the same IDs as in the account. */
  addReferences(references: { target: string; id: string; name: string }[]): void;
  /** Sets the initial stock of the copy, in storage units. */
  setStock(levels: { placeId: string; itemId: string; quantity: number }[]): void;
  /** Called after the copy and before the declaration is applied. */
  onCopied(copied: ApplyAllResult): Promise<void> | void;
}

export interface RehearsalResult extends ApplyAllResult {
  /** One message for each part that could not be rehearsed realistically. */
  limits: string[];
  /** Loyalty records that the changes created for customers. */
  loyalty: LoyaltyRecord[];
}

/**
 * Copies the records, applies the declaration to the copy and returns the outcome. Throws `usage` for unknown
 * names, as a plan does.
 */
export async function rehearse(rehearsal: RehearsalOptions): Promise<RehearsalResult> {
  const { account, copySession, applySession, env, signal, now } = rehearsal;
  rehearsal.declaration.errors?.mistakes.throwIfAny();
  const limits: string[] = [];
  const references = new Map<string, Set<string>>();
  const onReference = (target: string, id: string) => {
    references.set(target, (references.get(target) ?? new Set()).add(id));
  };
  const declarationWithIds = await replaceNamesWithIds(rehearsal.declaration, account, onReference);
  const resourcesToNotify = notifiedResources(account);
  const resources = [
    ...new Set([
      ...withTargets(declarationWithIds.resources, account),
      ...withTargets(resourcesToNotify, account),
    ]),
  ];
  const pulled = await pull({
    session: account,
    resources,
    isExact: false,
    includesBuiltIn: true,
    needed: declarationWithIds.resources,
    onReference,
  });
  pulled.missing.throwIfAny('A copy without them would not behave like the account.');
  for (const { nouns } of pulled.excluded)
    limits.push(
      `The account doesn't list ${nouns} for this token, so they aren't in the copy and their effects weren't checked.`,
    );
  for (const resource of resourcesToNotify) {
    const owner = pulled.resources.find((pulledResource) => pulledResource.resource === resource)
      ?.builtInRecords[0];
    await replaceOwner(copySession, resource, owner ?? {});
  }
  for (const [target, ids] of references) {
    const names = new Map((await account.names.references(target)).map(({ id, name }) => [id, name]));
    rehearsal.addReferences([...ids].map((id) => ({ target, id, name: names.get(id) ?? id })));
  }
  const withoutRestoredRecords = await omitRestoredRecords(declarationWithIds, pulled, account, signal);
  const { declaration, limits: copyLimits } = declarationForCopy(
    withoutRestoredRecords.declaration,
    pulled,
    account.api,
  );
  limits.push(...withoutRestoredRecords.limits, ...copyLimits);
  const valuesByCommand = Object.fromEntries(
    pulled.resources.map(({ resource, records }) => [resource.command, records]),
  );
  const copy = await parseDeclaration(valuesByCommand, 'account', account.api);
  const copyOptions = { session: copySession, declaration: copy, allowsBuiltIn: true, concurrency: 1 };
  const copied = await applyAll({ ...copyOptions, env, signal, now });
  for (const { key, error, outcome } of copied.results)
    if (outcome !== 'done') limits.push(`Not in the copy: ${key ?? ''}: ${error?.message ?? outcome}`);
  if (declaration.resources.some(({ transactional }) => transactional))
    limits.push(...(await copyStock(rehearsal)));
  await rehearsal.onCopied(copied);
  const applied = await applyAll({ session: applySession, declaration, env, signal, now }).catch((error) => {
    throw rewordForCopy(error, account);
  });
  return { ...applied, limits, loyalty: await readLoyaltyRecords(copySession) };
}

/**
 * Rewords a failure in the copy: nothing has to be restored, and a setting can prevent the same failure in the
 * account.
 */
function rewordForCopy(error: unknown, { settings }: Session): unknown {
  const { outcome, stopsRun } = error instanceof Failure ? error.details : {};
  if (!(error instanceof Failure) || outcome !== 'done' || !stopsRun) return error;
  return new Failure('refused', `In the copy: ${error.message} The account wasn't changed.`, {
    hint: ['Before you apply: ', replaceHint(settings)],
  });
}

/** Returns the resources whose records receive notifications. The owner is one of these records. */
function notifiedResources({ api }: Session): Resource[] {
  return api.collections.filter(({ fields }) =>
    Object.values(fields).some(({ traits }) => traits.builtIn !== undefined),
  );
}

/**
 * Gives the owner of the copy the key of the account's owner, and turns off notifications that the account's owner
 * wouldn't receive.
 */
async function replaceOwner(copySession: Session, resource: Resource, owner: Row): Promise<void> {
  const [list, update] = ['list', 'update'].map((verb) => operation(resource, verb));
  if (!list || !update) return;
  for await (const row of copySession.list({ operation: list, query: {} }).rows()) {
    if (builtInRole(resource, row) === undefined) continue;
    const noNotifications = update.body
      .filter(({ field }) => field.kind === 'words')
      .map(({ name }) => [name, []]);
    const ownerKeyEntries = resource.key.flatMap((name) =>
      owner[name] === undefined ? [] : [[name, owner[name]]],
    );
    await copySession.write({
      operation: update,
      ids: [String(row.id)],
      // Some deployments clear fields that an update omits.
      body: {
        ...bodyFrom(update, row).body,
        ...Object.fromEntries([...noNotifications, ...ownerKeyEntries]),
      },
    });
  }
}

/** Copies the last counted stock, and returns a message about its limits. */
async function copyStock({ account, copySession, setStock }: RehearsalOptions): Promise<string[]> {
  try {
    const missing = new MissingFields();
    const lastCounts = await readLastCounts(account, missing);
    const ids = await readItemIds(copySession);
    setStock(
      lastCounts.flatMap(({ placeId, item, quantity }) => {
        const itemId = ids.get(item);
        return itemId === undefined ? [] : [{ placeId, itemId, quantity }];
      }),
    );
    const description = missing.describe();
    if (description !== undefined) return [`${description} All stock started at 0.`];
    return [
      "The API doesn't return stock levels: each branch started with its last count, or with 0. Later sales, purchases and movements aren't included.",
    ];
  } catch (error) {
    if (!isRefusedList(error)) throw error;
    return ["The account doesn't list inventory counts for this token: all stock started at 0."];
  }
}

/**
 * Replaces names with IDs for records that the API can't list, because the copy doesn't have the account's names.
 */
async function replaceNamesWithIds(
  { records, ...otherProperties }: Declaration,
  account: Session,
  onReference: (target: string, id: string) => void,
): Promise<Declaration> {
  const mistakes = new Mistakes();
  const ids = new Map<string, string>();
  const refs = records.flatMap(({ values }) => [...values.values()].flatMap(({ value }) => refsIn(value)));
  for (const ref of refs.filter(({ target }) => !account.api.resource(target))) {
    if (ids.has(ref.key)) continue;
    const text = `@${ref.text}`;
    const idOrFailure =
      ref.by.kind === 'id'
        ? ref.by.id
        : (await account.names.find(ref.target, [text], { orId: true })).get(text);
    if (idOrFailure instanceof Failure)
      mistakes.add(ref.location, idOrFailure.message.replaceAll(text, ref.text).replace(/\.$/, ''));
    else if (idOrFailure !== undefined) {
      ids.set(ref.key, idOrFailure);
      onReference(ref.target, idOrFailure);
    }
  }
  mistakes.throwIfAny();
  const byId = (ref: Ref) => {
    const id = ids.get(ref.key);
    return id === undefined
      ? ref
      : new Ref(ref.target, { kind: 'id', id, text: ref.text }, ref.location, ref.targetFilter);
  };
  return { records: records.map((record) => mapRefs(record, byId)), ...otherProperties };
}

interface LoyaltyRecord {
  /** The resource by its name on the command line. */
  resource: string;
  id: string;
}

/** Returns all loyalty records of the copy. It started empty, so the changes created them. */
async function readLoyaltyRecords(session: Session): Promise<LoyaltyRecord[]> {
  const loyaltyRecords: LoyaltyRecord[] = [];
  for (const resource of session.api.collections.filter(({ group }) => group === 'loyalty')) {
    const list = operation(resource, 'list');
    if (!list) continue;
    for await (const { id } of session.list({ operation: list, query: {} }, { readsAll: true }).rows())
      loyaltyRecords.push({ resource: resource.command, id: String(id) });
  }
  return loyaltyRecords;
}

/** A quantity in storage units. The item is identified by its key, because IDs differ in another account. */
interface StockLevel {
  placeId: string;
  item: string;
  quantity: number;
}

/** Returns the quantity of each item at each branch in the last closed count, and adds what counts lack to `missing`. */
async function readLastCounts(account: Session, missing: MissingFields): Promise<StockLevel[]> {
  const { api } = account;
  const counts = api.resource('inventory_counts') ?? throwContractError();
  const list = requireOperation(counts, 'list');
  const keyById = new Map([...(await readItemIds(account))].map(([key, id]) => [id, key]));
  const lastByItem = new Map<string, StockLevel & { day: string }>();
  const query = {
    filters: { ...counts.fields.items?.traits.previous?.filters },
    optional: fieldsToInclude(counts, ['branch', 'items']),
    onMissing: missing.of(counts),
  };
  for await (const count of account.list({ operation: list, query }, { readsAll: true }).rows()) {
    const day = `${count.business_date ?? ''} ${count.updated_at ?? ''}`;
    const placeId = isRow(count.branch) ? String(count.branch.id) : undefined;
    for (const item of linksIn(count, 'items') ?? []) {
      const quantity = Number(pivotOf(item).quantity);
      const key = keyById.get(String(item.id));
      if (placeId === undefined || key === undefined || !Number.isFinite(quantity)) continue;
      const stockKey = JSON.stringify([placeId, key]);
      if ((lastByItem.get(stockKey)?.day ?? '') <= day)
        lastByItem.set(stockKey, { placeId, item: key, quantity, day });
    }
  }
  return [...lastByItem.values()].map(({ placeId, item, quantity }) => ({ placeId, item, quantity }));
}

/** Returns the IDs of items by their keys, which are the same in both accounts. */
async function readItemIds(account: Session): Promise<Map<string, string>> {
  const list = requireOperation(account.api.resource('inventory_items') ?? throwContractError(), 'list');
  const ids = new Map<string, string>();
  for await (const item of account.list({ operation: list, query: {} }, { readsAll: true }).rows()) {
    const key = itemKey(item);
    if (key !== undefined) ids.set(key, String(item.id));
  }
  return ids;
}

function itemKey({ sku, name }: Row): string | undefined {
  const key = [sku, name].find((value) => typeof value === 'string' && value !== '');
  return typeof key === 'string' ? key : undefined;
}

function throwContractError(): never {
  throw new Error('The contract has no lists of inventory items and counts.');
}

/**
 * Removes the deleted records that apply would restore, and the records that refer to them, with one message for
 * each.
 */
async function omitRestoredRecords(
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
