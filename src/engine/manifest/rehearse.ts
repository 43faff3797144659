/** Rehearses a declaration: plans it for the account, and sends the plan to a copy of the records that it affects. */

import { RecordBatch, recordKey } from '../../account/session/find-by-key.ts';
import { isDeleted, isRefusedList } from '../../account/session/list.ts';
import { MissingFields } from '../../account/session/missing-fields.ts';
import { linksIn, pivotOf } from '../../account/session/record-body.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { replaceHint } from '../../account/session/update-guard.ts';
import { fieldsToInclude } from '../../api/contract/include.ts';
import { operation, requireOperation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { type AppliedPlan, applyPlan } from './apply/apply-plan.ts';
import type { Declaration } from './declared/declared.ts';
import { refsOf } from './plan/lookups.ts';
import { type ManifestPlan, makePlan } from './plan/make-plan.ts';
import { readAll, withTargets } from './pull/pull.ts';

/** A record of the account, with its ID. */
export interface CopiedRecord {
  /** The API's name of the resource. */
  resource: string;
  row: Row;
}

/** A record that the API refers to but can't list, such as a branch. */
export interface CopiedReference {
  target: string;
  id: string;
  name: string;
}

/** The accounts and functions that a rehearsal needs. */
export interface RehearsalOptions {
  /** The account is read and never written to. */
  account: Session;
  /** The copy: an account without records, which is discarded afterwards. */
  copy: Session;
  declaration: Declaration;
  env: Environment;
  signal: AbortSignal;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Adds records to the copy with their IDs, without the checks of the API. */
  add(records: readonly CopiedRecord[], references: readonly CopiedReference[]): void;
  /** Sets the initial stock of the copy, in storage units. */
  setStock(levels: readonly StockLevel[]): void;
  /** Called after the copy and before the plan is sent. */
  onCopied(recordCount: number): void;
}

export interface RehearsalResult extends AppliedPlan {
  plan: ManifestPlan;
  /** One message for each part that could not be rehearsed realistically. */
  limits: string[];
  /** Loyalty records that the changes created for customers. */
  loyalty: LoyaltyRecord[];
}

/** Sends the plan of a declaration to a copy of the account. Throws `usage` for unknown names, as a plan does. */
export async function rehearse(rehearsal: RehearsalOptions): Promise<RehearsalResult> {
  const { account, copy, declaration, env, signal, now } = rehearsal;
  const plan = await makePlan({ session: account, declaration, prune: [], signal });
  const deleted = new RecordBatch();
  for (const { resource, id, requests } of plan.changes)
    if (id !== undefined && requests.current && isDeleted(requests.current))
      deleted.idsOf(resource).ids.add(id);
  const affected = new Set(declaration.resources);
  const { records, excluded } = await readRecordsToCopy(
    account,
    affected,
    deleted,
    notifiedResources(account),
  );
  rehearsal.add(records, await referencesOf(plan, records, account));
  const limits = excluded.map(
    ({ nouns }) =>
      `The account doesn't list ${nouns} for this token, so they aren't in the copy and their effects weren't checked.`,
  );
  if (declaration.resources.some(({ transactional }) => transactional))
    limits.push(await copyStock(rehearsal));
  rehearsal.onCopied(records.length);
  const earlierIds = new Set((await readLoyaltyRecords(copy)).map(({ id }) => id));
  const applied = await applyPlan(plan, { session: copy, env, signal, now }).catch((error) => {
    throw rewordForCopy(error, account);
  });
  const loyalty = (await readLoyaltyRecords(copy)).filter(({ id }) => !earlierIds.has(id));
  return { ...applied, plan, limits, loyalty };
}

/**
 * Reads what a copy of the account contains: all records of the `affected` and `other` resources and of those that they refer
 * to, and deleted records. `excluded` are the resources that can't be listed; an affected one is a failure.
 */
export async function readRecordsToCopy(
  account: Session,
  affected: ReadonlySet<Resource>,
  deleted: RecordBatch,
  others: readonly Resource[] = [],
): Promise<{ records: CopiedRecord[]; excluded: Resource[] }> {
  const records = new Map<string, CopiedRecord>();
  const excluded: Resource[] = [];
  const missing = new MissingFields();
  const add = (resource: Resource, row: Row) =>
    records.set(recordKey(resource, String(row.id)), { resource: resource.name, row });
  for (const resource of withTargets([...affected, ...others], account)) {
    const rows = await readAll(resource, account, affected.has(resource), missing);
    if (!rows) excluded.push(resource);
    for (const row of rows ?? []) add(resource, row);
  }
  missing.throwIfAny('A copy without them would not behave like the account.');
  for (const [key, row] of await deleted.read(account)) {
    const resource = [...affected].find((resource) => recordKey(resource, String(row.id)) === key);
    if (resource && !records.has(key)) add(resource, row);
  }
  return { records: [...records.values()], excluded };
}

/** Returns the records that the API can't list and that the copied records or the plan refer to. */
async function referencesOf(
  { declaration, target: targetOf }: ManifestPlan,
  records: readonly CopiedRecord[],
  account: Session,
): Promise<CopiedReference[]> {
  const { api } = account;
  const references = new Map<string, CopiedReference>();
  const add = (target: string, id: string, name: unknown) => {
    const key = JSON.stringify([target, id]);
    if (!api.resource(target) && !references.has(key))
      references.set(key, { target, id, name: String(name ?? id) });
  };
  for (const { target, id, name } of copiedReferences(records, account)) add(target, id, name);
  const declared = declaration.records.flatMap(refsOf);
  for (const target of new Set(declared.map((ref) => ref.target))) {
    const names = api.resource(target) ? [] : await account.names.references(target);
    const nameById = new Map(names.map(({ id, name }) => [id, name]));
    for (const ref of declared) {
      const id = ref.target === target ? targetOf(ref)?.id : undefined;
      if (id !== undefined) add(target, id, nameById.get(id));
    }
  }
  return [...references.values()];
}

/** Returns the records that rows refer to and that the API can't list, such as branches. */
export function copiedReferences(records: readonly CopiedRecord[], { api }: Session): CopiedReference[] {
  return records.flatMap(({ resource, row }) =>
    Object.entries(api.resource(resource)?.fields ?? {}).flatMap(
      ([
        name,
        {
          traits: { target },
        },
      ]) => {
        if (target === undefined || api.resource(target)) return [];
        const relatedRows = (Array.isArray(row[name]) ? row[name] : [row[name]]).filter(isRow);
        return relatedRows.map(({ id, name: label }) => ({
          target,
          id: String(id),
          name: String(label ?? id),
        }));
      },
    ),
  );
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

interface LoyaltyRecord {
  /** The resource by its name on the command line. */
  resource: string;
  id: string;
}

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

/** A quantity of an item at a branch, in storage units. */
interface StockLevel {
  placeId: string;
  itemId: string;
  quantity: number;
}

/** Copies the last counted stock, and returns a message about its limits. */
async function copyStock({ account, setStock }: RehearsalOptions): Promise<string> {
  try {
    const missing = new MissingFields();
    setStock(await readLastCounts(account, missing));
    const description = missing.describe();
    if (description !== undefined) return `${description} All stock started at 0.`;
    return "The API doesn't return stock levels: each branch started with its last count, or with 0. Later sales, purchases and movements aren't included.";
  } catch (error) {
    if (!isRefusedList(error)) throw error;
    return "The account doesn't list inventory counts for this token: all stock started at 0.";
  }
}

/** Returns the quantity of each item at each branch in the last closed count, and adds what counts lack to `missing`. */
async function readLastCounts(account: Session, missing: MissingFields): Promise<StockLevel[]> {
  const counts = account.api.resource('inventory_counts');
  if (!counts) throw new Error('The contract has no list of inventory counts.');
  const lastByItem = new Map<string, StockLevel & { day: string }>();
  const query = {
    filters: { ...counts.fields.items?.traits.previous?.filters },
    optional: fieldsToInclude(counts, ['branch', 'items']),
    onMissing: missing.of(counts),
  };
  const list = requireOperation(counts, 'list');
  for await (const count of account.list({ operation: list, query }, { readsAll: true }).rows()) {
    const day = `${count.business_date ?? ''} ${count.updated_at ?? ''}`;
    const placeId = isRow(count.branch) ? String(count.branch.id) : undefined;
    for (const item of linksIn(count, 'items') ?? []) {
      const [itemId, quantity] = [String(item.id), Number(pivotOf(item).quantity)];
      if (placeId === undefined || !Number.isFinite(quantity)) continue;
      const stockKey = JSON.stringify([placeId, itemId]);
      if ((lastByItem.get(stockKey)?.day ?? '') <= day)
        lastByItem.set(stockKey, { placeId, itemId, quantity, day });
    }
  }
  return [...lastByItem.values()];
}
