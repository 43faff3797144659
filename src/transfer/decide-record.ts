/** Decides for one record of the source: create it, update the target's record where it differs, or leave it. */

import { doubtsOf, hasChangedSince, lastChangeText } from '../bulk/plan/decide.ts';
import type { Api } from '../contract/api.ts';
import { isStoredByTarget } from '../contract/dependency-order.ts';
import { hasTakenEffect } from '../contract/irreversible.ts';
import { isSameText } from '../contract/key-form.ts';
import { type BodyField, type Operation, operation, operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { validateBody } from '../contract/validate.ts';
import { knownLink, knownValues } from '../runs/known-values.ts';
import { ownId, type RowChange, type Step } from '../runs/ledger/row.ts';
import { withIds } from '../runs/ledger/row-reference.ts';
import { rowError } from '../runs/row-error.ts';
import { type Changes, differenceOf, isSameLink, linkValues } from '../session/diff/fields.ts';
import { isSame } from '../session/diff/values.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom, linksIn, pivotOf } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import type { RowProblem } from '../tables/table.ts';
import { isAnotherThere } from './match-target.ts';
import type { HeldBack, Transfer, TransferIntent } from './transfer.ts';
import { type TargetId, translated } from './translate.ts';

/** The record to decide, and what is known about it. */
export interface Deciding {
  transfer: Transfer;
  resource: Resource;
  intent: TransferIntent;
  /** Ids of the target that are taken by other records of the source. */
  claimed: ReadonlySet<string>;
}

/** `held`: can't be written at all; `absent`: only referenced, and missing. */
export type Decision = { is: 'row'; change: RowChange } | { is: 'held'; why: HeldBack } | { is: 'absent' };

/** Returns the decision for a record. */
export function decideRecord(deciding: Deciding): Decision {
  const { transfer, resource, intent } = deciding;
  const { found, rivals } = foundAmong(deciding);
  if (rivals.length > 0) {
    const what = `matches several ${resource.nouns} of the target: ${rivals.map(({ id }) => id).join(', ')}`;
    return bad([{ what }]);
  }
  if (found) return changed(deciding, found);
  if (intent.isReferenced && !transfer.withReferences) return { is: 'absent' };
  return created(deciding);
}

/** Returns the candidate that is most similar; of several identical ones, any. */
function foundAmong({ transfer, resource, intent, claimed }: Deciding): { found?: Row; rivals: Row[] } {
  const unclaimed = (intent.candidates ?? []).filter(({ id }) => !claimed.has(String(id)));
  const candidates = unclaimed.filter((record) => isDeleted(record) === isDeleted(intent.record));
  const free = candidates.length > 0 ? candidates : unclaimed;
  const { atCreation } = bodiesOf(transfer.session.api, resource);
  const compared = atCreation.filter(({ field }) => field.traits.target === undefined);
  const likeness = (record: Row) =>
    compared.filter(({ responseName: name, field }) => isSame(field, record[name], intent.record[name]))
      .length;
  const ranked = free
    .map((record) => ({ record, count: likeness(record) }))
    .sort((a, b) => b.count - a.count);
  const [first] = ranked;
  if (!first) return { rivals: [] };
  const rivals = ranked.filter(({ count }) => count === first.count).map(({ record }) => record);
  const isOpen = rivals.length > 1 && first.count < compared.length;
  return isOpen ? { rivals } : { found: first.record, rivals: [] };
}

function created(deciding: Deciding): Decision {
  const { transfer, resource, intent } = deciding;
  const bodies = bodiesOf(transfer.session.api, resource);
  const { create, update } = bodies;
  if (!create) return { is: 'held', why: 'not_writable' };
  // A record that took effect and is gone would take effect a second time.
  if (!intent.isNew && hasTakenEffect(resource, intent.record)) return { is: 'held', why: 'settled' };
  if (!isCreatable(bodies, intent.record)) return { is: 'held', why: 'not_creatable' };
  const { record, missing } = translated(
    transfer,
    resource,
    intent.record,
    isAtOnce(bodies, denied(deciding)),
  );
  const body = filled(bodyFrom({ body: bodies.atCreation }, record).body);
  const isKept = ({ responseName }: BodyField) =>
    !isAnotherThere(transfer, resource) || !resource.key.includes(responseName);
  const rest = filled(bodyFrom({ body: bodies.afterwards.filter(isKept) }, record).body);
  const steps: Step[] = [{ resource: resource.name, verb: create.verb, ids: [], body }];
  if (update && Object.keys(rest).length > 0)
    steps.push({ resource: resource.name, verb: update.verb, ids: [ownId], body: rest });
  const links = bodies.links.flatMap((set) => linkSteps(set, ownId, record, undefined));
  const problems = [...missingProblems(missing), ...problemsOf(create, body), ...problemsOf(update, rest)];
  problems.push(...doubtsOf(intent.doubts, { ...body, ...rest }));
  if (problems.length > 0) return bad(problems);
  const changes = Object.fromEntries(
    Object.entries({ ...body, ...rest }).map(([name, value]) => [name, [null, value] as const]),
  );
  return {
    is: 'row',
    change: { state: 'planned', action: 'create', id: null, steps: [...steps, ...links], changes },
  };
}

function changed(deciding: Deciding, found: Row): Decision {
  const { transfer, resource, intent } = deciding;
  const id = String(found.id);
  const isGone = isDeleted(found) && !resource.restore;
  if (isGone && !isDeleted(intent.record)) return created(deciding);
  const mayMatch = intent.isReferenced || isDeleted(intent.record) || isAnotherThere(transfer, resource);
  if (mayMatch) return { is: 'row', change: { state: 'done', action: 'skip', id } };
  const bodies = bodiesOf(transfer.session.api, resource);
  const { record, missing } = translated(
    transfer,
    resource,
    intent.record,
    isAtOnce(bodies, denied(deciding)),
  );
  const steps: Step[] = [];
  if (isDeleted(found)) {
    const restore = operation(resource, 'restore');
    const known = knownValues(resource, found);
    if (restore) steps.push({ resource: resource.name, verb: restore.verb, ids: [id], known });
  }
  const wanted = bodyFrom({ body: bodies.always }, withoutRespelled(record, intent.written, found)).body;
  const { body, changes } = differenceOf(bodies.always, wanted, found);
  if (bodies.update && Object.keys(body).length > 0) {
    const known = knownValues(resource, found, Object.keys(changes));
    steps.push({ resource: resource.name, verb: bodies.update.verb, ids: [id], body, known });
  }
  const links = bodies.links.flatMap((set) => [
    ...linkSteps(set, id, record, found),
    ...unlinkSteps(transfer, set, record, found),
  ]);
  const problems = [
    ...missingProblems(missing),
    ...problemsOf(bodies.update, body),
    ...doubtsOf(intent.doubts, body),
  ];
  const isSettled = hasTakenEffect(resource, found);
  if (problems.length > 0 && !isSettled) return bad(problems);
  steps.push(...links);
  if (steps.length === 0) return { is: 'row', change: { state: 'done', action: 'skip', id } };
  if (isSettled) return { is: 'held', why: 'closed' };
  const { updated_at: known } = intent.record;
  const isStale = found.id === intent.record.id && hasChangedSince(found, known as string | undefined);
  if (isStale && transfer.edited?.stale === 'refuse') {
    const what = `is older than the ${resource.noun} ${id}: it was ${lastChangeText(found)}, and the file has ${known} (to overwrite it: --stale overwrite)`;
    return bad([{ what }]);
  }
  const all: Changes = { ...changes, ...linkChanges(links) };
  return { is: 'row', change: { state: 'planned', action: 'update', id, steps, changes: all } };
}

function linkChanges(links: readonly Step[]): Changes {
  return Object.fromEntries(
    links.map(({ verb, ids, body }) => [verb, body ? [null, ids[1]] : [ids[1], null]] as const),
  );
}

/** Leaves out fields that the target has as the file does: the value was only normalized when it was read. */
function withoutRespelled(record: Row, written: TransferIntent['written'], found: Row): Row {
  if (!written) return record;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !isSameText(found[name] ?? null, written[name])),
  );
}

function denied({ transfer, resource }: Deciding): ReadonlySet<string> {
  return transfer.denied.get(resource.name) ?? new Set();
}

function isAtOnce({ later, laterLinks }: Bodies, others: ReadonlySet<string>): (name: string) => boolean {
  const names = new Set([
    ...others,
    ...later.map(({ responseName }) => responseName),
    ...laterLinks.map(({ link }) => link?.field),
  ]);
  return (name) => !names.has(name);
}

/** Leaves out empty values: a new record is empty by default. */
function filled(body: Row): Row {
  const isSomething = (value: unknown) =>
    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => isSomething(value)));
}

function isCreatable({ atCreation }: Bodies, record: Row): boolean {
  return atCreation.every(({ responseName, field: { traits } }) => {
    const value = record[responseName];
    return !traits.creatable || typeof value !== 'number' || traits.creatable.includes(value);
  });
}

function missingProblems(missing: readonly string[]): RowProblem[] {
  return [...new Set(missing)].map((column) => ({ column, what: "refers to a record that doesn't exist" }));
}

/** Returns problems that don't depend on ids. */
function problemsOf(currentLinks: Operation | undefined, body: Row): RowProblem[] {
  if (!currentLinks || Object.keys(body).length === 0) return [];
  const filledIn = withIds(body, (name) => name);
  return Object.entries(validateBody(currentLinks, isRow(filledIn) ? filledIn : {})).flatMap(
    ([path, messages]) => messages.map((what) => ({ column: path === '_' ? undefined : path, what })),
  );
}

function bad(problems: readonly RowProblem[]): Decision {
  return { is: 'row', change: { state: 'bad', action: 'skip', error: rowError(problems) } };
}

/** Returns steps that set links; links that only the target has stay. `record` is translated, `found` the target's. */
export function linkSteps(set: Operation, own: TargetId, record: Row, found: Row | undefined): Step[] {
  const field = set.link?.field ?? '';
  const currentLinks = linksIn(found, field);
  return (linksIn(record, field) ?? []).flatMap((link) => {
    const { body } = bodyFrom(set, pivotOf(link));
    if (isSameLink(set, linkValues(found, field, String(link.id), set), body)) return [];
    // A new record has no links yet.
    const known = found ? currentLinks && knownLink(found, field, String(link.id)) : { [field]: [] };
    const ids = [own, link.id as TargetId];
    return [{ resource: set.resource.name, verb: set.verb, ids, body, ...(known && { known }) }];
  });
}

/**
 * Returns steps that remove links which an edited list of the same account no longer has. A list that no column of a file
 * can have stays.
 */
export function unlinkSteps(
  { edited, isSameAccount }: Transfer,
  set: Operation,
  record: Row,
  found: Row | undefined,
): Step[] {
  const { link, resource, inverse } = set;
  const [field, links] = [link?.field ?? '', linksIn(record, link?.field ?? '')];
  const isColumn = operation(resource, 'update')?.body.some((entry) => entry.responseName === field) === true;
  if (!edited || !isSameAccount || !isColumn || !found || !links || !inverse) return [];
  const kept = new Set(links.map(({ id }) => id));
  return (linksIn(found, field) ?? [])
    .map(({ id }) => String(id))
    .filter((id) => !kept.has(id))
    .map((id) => {
      const ids = [String(found.id), id];
      return { resource: resource.name, verb: inverse.verb, ids, known: knownLink(found, field, id) };
    });
}

interface Bodies {
  create: Operation | undefined;
  update: Operation | undefined;
  /** Sent with the create request. */
  atCreation: readonly BodyField[];
  /** Sent right after the create. */
  afterwards: readonly BodyField[];
  /** Sent with the update of an existing record. */
  always: readonly BodyField[];
  /** Sent once all records of the resource exist. */
  later: readonly BodyField[];
  /** Requests that set links, right away or later. */
  links: readonly Operation[];
  laterLinks: readonly Operation[];
}

const known = new WeakMap<Resource, Bodies>();

/** Returns the fields and links of a resource by request. */
export function bodiesOf(api: Api, resource: Resource): Bodies {
  const made = known.get(resource) ?? make(api, resource);
  known.set(resource, made);
  return made;
}

function make(api: Api, resource: Resource): Bodies {
  const { deferredRelations = [] } = api.dependencyOrder().find((each) => each.resource === resource) ?? {};
  const links = operations(resource).filter(({ effect }) => effect === 'link');
  const linked = new Set(links.map(({ link }) => link?.field));
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const ours = (all: Operation | undefined) =>
    (all?.body ?? []).filter(
      ({ responseName: name, field }) =>
        !linked.has(name) && !field.traits.secret && !field.traits.ignored && !isStoredByTarget(api, field),
    );
  // Plain IDs may refer to records of the same resource.
  const isLater = ({ responseName: name, field }: BodyField) =>
    deferredRelations.includes(name) || field.kind === 'ids';
  const atCreation = ours(create).filter((entry) => !isLater(entry));
  const always = ours(update).filter((entry) => !isLater(entry));
  return {
    create,
    update,
    atCreation,
    afterwards: always.filter(({ name }) => !atCreation.some((entry) => entry.name === name)),
    always,
    later: ours(update).filter(isLater),
    links: links.filter(({ link }) => !deferredRelations.includes(link?.field ?? '')),
    laterLinks: links.filter(({ link }) => deferredRelations.includes(link?.field ?? '')),
  };
}
