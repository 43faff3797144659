/** Rehearses a declaration: copies the records that it affects into an empty account, and applies it there. */

import type { Environment } from '../base/environment.ts';
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { replaceHint } from '../session/update-loss.ts';
import { type AppliedAll, applyAll } from './apply/apply-all.ts';
import { type InCopy, inCopy } from './copied-names.ts';
import { type Declaration, type Declared, formOf, keyText, replacedIn } from './declared/declared.ts';
import { accountsOwn } from './declared/fields.ts';
import { declarationFrom } from './declared/read-records.ts';
import { Ref, refsIn } from './declared/ref.ts';
import { itemIds, lastCounted } from './last-counted.ts';
import { makePlan } from './plan/make-plan.ts';
import { refsOf } from './plan/wants.ts';
import { type Pulled, pull, withTargets } from './pull/pull.ts';
import { Mistakes } from './source/mistakes.ts';

/** The accounts and functions that a rehearsal needs. */
export interface Rehearsal {
  /** The account is read and never written to. */
  account: Session;
  /** An empty account for the copy, which is discarded afterwards. */
  stage: Session;
  /** The account of `stage`, with the settings for writing of the real account. */
  trial: Session;
  declaration: Declaration;
  env: Environment;
  signal: AbortSignal;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Creates records in the stage that the API only names, under the same ids as in the account. */
  addReferences(references: { target: string; id: string; name: string }[]): void;
  /** Sets the initial stock of the stage, in storage units. */
  setStock(levels: { placeId: string; itemId: string; quantity: number }[]): void;
  /** Called after the copy and before the declaration is applied. */
  onCopied(copied: AppliedAll): Promise<void> | void;
}

/** The outcome of a rehearsal. */
export interface Rehearsed extends AppliedAll {
  /** One message for each part that could not be rehearsed as it would happen. */
  limits: string[];
  /** Loyalty records that the changes created for customers. */
  loyalty: LoyaltyRecord[];
}

/**
 * Copies the records, applies the declaration to the copy and returns the outcome. Throws `usage` for unknown
 * names, as a plan does.
 */
export async function rehearse(rehearsal: Rehearsal): Promise<Rehearsed> {
  const { account, stage, trial, env, signal, now } = rehearsal;
  rehearsal.declaration.faults?.mistakes.throwIfAny();
  const limits: string[] = [];
  const references = new Map<string, Set<string>>();
  const onReference = (target: string, id: string) => {
    references.set(target, (references.get(target) ?? new Set()).add(id));
  };
  const declaredWithIds = await withIds(rehearsal.declaration, account, onReference);
  const notified = notifiedResources(account);
  const resources = [
    ...new Set([...withTargets(declaredWithIds.resources, account), ...withTargets(notified, account)]),
  ];
  const pulled = await pull({
    session: account,
    resources,
    isExact: false,
    withOwn: true,
    needed: declaredWithIds.resources,
    onReference,
  });
  for (const { nouns } of pulled.excluded)
    limits.push(
      `The token isn't allowed to list ${nouns}, so they are not in the copy, and their effects were not checked.`,
    );
  for (const resource of notified) {
    const own = pulled.resources.find((each) => each.resource === resource)?.own[0];
    await replaceOwner(stage, resource, own ?? {});
  }
  for (const [target, ids] of references) {
    const names = new Map((await account.references(target)).map(({ id, name }) => [id, name]));
    rehearsal.addReferences([...ids].map((id) => ({ target, id, name: names.get(id) ?? id })));
  }
  const there = await withoutRestored(declaredWithIds, pulled, account, signal);
  const { declaration, limits: copyLimits } = inCopy(there.declaration, pulled, account.api);
  limits.push(...there.limits, ...copyLimits);
  const values = Object.fromEntries(
    pulled.resources.map(({ resource, records }) => [resource.command, records]),
  );
  const copy = await declarationFrom(values, 'account', account.api);
  const copying = { session: stage, declaration: copy, allowsOwn: true, concurrency: 1 };
  const copied = await applyAll({ ...copying, env, signal, now });
  for (const { key, error, outcome } of copied.results)
    if (outcome !== 'done') limits.push(`Not in the copy: ${key ?? ''}: ${error?.message ?? outcome}`);
  if (declaration.resources.some(({ transactional }) => transactional))
    limits.push(...(await copyStock(rehearsal)));
  await rehearsal.onCopied(copied);
  const applied = await applyAll({ session: trial, declaration, env, signal, now }).catch((error) => {
    throw rewordedForCopy(error, account);
  });
  return { ...applied, limits, loyalty: await loyaltyEarned(stage) };
}

/**
 * Rewords a failure in the copy: nothing has to be restored, and a setting can prevent the same failure in the
 * account.
 */
function rewordedForCopy(error: unknown, { settings }: Session): unknown {
  const { outcome, endsRun } = error instanceof Failure ? error.details : {};
  if (!(error instanceof Failure) || outcome !== 'done' || !endsRun) return error;
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
 * Gives the owner of the stage the key of the account's owner, and turns off notifications that the account's owner
 * wouldn't receive.
 */
async function replaceOwner(stage: Session, resource: Resource, own: Row): Promise<void> {
  const [list, update] = ['list', 'update'].map((verb) => operation(resource, verb));
  if (!list || !update) return;
  for await (const row of stage.list({ operation: list, query: {} }).rows()) {
    if (accountsOwn(resource, row) === undefined) continue;
    const quiet = update.body.filter(({ field }) => field.kind === 'words').map(({ name }) => [name, []]);
    const named = resource.key.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
    await stage.write({
      operation: update,
      ids: [String(row.id)],
      // Some deployments clear fields that an update omits.
      body: { ...bodyFrom(update, row).body, ...Object.fromEntries([...quiet, ...named]) },
    });
  }
}

/** Copies the last counted stock, and returns one message for each limit of it. */
async function copyStock({ account, stage, setStock }: Rehearsal): Promise<string[]> {
  try {
    const counted = await lastCounted(account);
    const ids = await itemIds(stage);
    setStock(
      counted.flatMap(({ placeId, item, quantity }) => {
        const itemId = ids.get(item);
        return itemId === undefined ? [] : [{ placeId, itemId, quantity }];
      }),
    );
    return [
      'The API shows no stock: each branch started with its last count, or with 0. Later sales, purchases and movements are not included.',
    ];
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
    return ["The token isn't allowed to read inventory counts: all stock started at 0."];
  }
}

/**
 * Replaces names of records that the API can't list by their ids, because the stage knows none of the account's
 * names.
 */
async function withIds(
  { records, ...rest }: Declaration,
  account: Session,
  onReference: (target: string, id: string) => void,
): Promise<Declaration> {
  const mistakes = new Mistakes();
  const ids = new Map<string, string>();
  const refs = records.flatMap(({ given }) => [...given.values()].flatMap(({ value }) => refsIn(value)));
  for (const ref of refs.filter(({ target }) => !account.api.resource(target))) {
    if (ids.has(ref.key)) continue;
    const text = `@${ref.text}`;
    const found =
      ref.by.kind === 'id' ? ref.by.id : (await account.find(ref.target, [text], { orId: true })).get(text);
    if (found instanceof Failure)
      mistakes.add(ref.at, found.message.replaceAll(text, ref.text).replace(/\.$/, ''));
    else if (found !== undefined) {
      ids.set(ref.key, found);
      onReference(ref.target, found);
    }
  }
  mistakes.throwIfAny();
  const byId = (ref: Ref) => {
    const id = ids.get(ref.key);
    return id === undefined ? ref : new Ref(ref.target, { kind: 'id', id, text: ref.text }, ref.at, ref.only);
  };
  return { records: records.map((record) => replacedIn(record, byId)), ...rest };
}

interface LoyaltyRecord {
  /** The resource by its name on the command line. */
  resource: string;
  id: string;
}

/** Returns all loyalty records. The stage started with none, so the changes created these. */
async function loyaltyEarned(session: Session): Promise<LoyaltyRecord[]> {
  const found: LoyaltyRecord[] = [];
  for (const resource of session.api.collections.filter(({ group }) => group === 'loyalty')) {
    const list = operation(resource, 'list');
    if (!list) continue;
    for await (const { id } of session.list({ operation: list, query: {} }, { isWanted: true }).rows())
      found.push({ resource: resource.command, id: String(id) });
  }
  return found;
}

/**
 * Removes the deleted records that apply would restore, and the records that refer to them, with one message for
 * each. Reads the records that the copy lacks.
 */
async function withoutRestored(
  declaration: Declaration,
  pulled: Pulled,
  account: Session,
  signal: AbortSignal,
): Promise<InCopy> {
  const missing = declaration.records.filter((record) => record.resource.restore && !isIn(pulled, record));
  if (missing.length === 0) return { declaration, limits: [] };
  const asked = { ...declaration, records: missing };
  const { matches } = await makePlan({
    session: account,
    declaration: asked,
    prune: [],
    isCompared: true,
    signal,
  });
  const deleted = new Map<Declared, Row>();
  for (const record of missing) {
    const row = matches.get(record);
    if (row && isDeleted(row)) deleted.set(record, row);
  }
  const naming = declaration.records.filter(
    (record) => !deleted.has(record) && refsOf(record).some((ref) => isOneOf(ref, deleted)),
  );
  const limits = [
    ...[...deleted.keys()].map(
      (record) =>
        `Not in the copy, because it is deleted in the account and would be restored: the ${named(record)}`,
    ),
    ...naming.map(
      (record) =>
        `Not tried in the copy, because it refers to a record that would be restored: the ${named(record)}`,
    ),
  ];
  const left = new Set([...deleted.keys(), ...naming]);
  return {
    declaration: { ...declaration, records: declaration.records.filter((record) => !left.has(record)) },
    limits,
  };
}

function named(record: Declared): string {
  return `${record.resource.noun} ${keyText(record)}`;
}

/** Returns whether a record of the copy has the key or the former key of a declared record. */
function isIn({ keys }: Pulled, { resource, key, oldKey }: Declared): boolean {
  const own = keys.get(resource.name);
  const isCalled = (parts: Declared['key']) =>
    parts.every(({ value }) => typeof value === 'string' && own?.isCalled(value, undefined));
  return isCalled(key) || (oldKey !== undefined && isCalled(oldKey));
}

function isOneOf({ target, by }: Ref, deleted: ReadonlyMap<Declared, Row>): boolean {
  for (const [{ resource, given }, row] of deleted) {
    if (resource.name !== target) continue;
    const values = (name: string) => [row[name], given.get(name)?.value].filter((value) => value != null);
    const has = (name: string, value: unknown) =>
      value instanceof Ref ||
      values(name).some((one) => formOf(resource, name, one) === formOf(resource, name, value));
    if (by.kind === 'id' && row.id === by.id) return true;
    if (by.kind === 'text' && ['id', ...resource.key].some((name) => has(name, by.text))) return true;
    if (by.kind === 'fields' && Object.entries(by.fields).every(([name, value]) => has(name, value)))
      return true;
  }
  return false;
}
