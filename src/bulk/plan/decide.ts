/** Decides what is to be done for one row and its record: the requests, or why there are none. */

import { redactionText } from '../../base/redaction.ts';
import { type BodyField, type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { withArticle } from '../../contract/wording.ts';
import type { Intent } from '../../runs/intent.ts';
import { knownValues } from '../../runs/known-values.ts';
import { ownId, type RowChange, type Step } from '../../runs/ledger/row.ts';
import { isSecret } from '../../runs/ledger/secret-mark.ts';
import { rowError } from '../../runs/row-error.ts';
import { type Changes, type Difference, differenceOf } from '../../session/diff/fields.ts';
import { isSame } from '../../session/diff/values.ts';
import { isDeleted } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import { columnsOf } from '../../tables/columns/columns.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import type { RowProblem } from '../../tables/table.ts';
import { checkNew } from './read-row.ts';

/** What the decision depends on, the same for all rows. */
export interface Deciding {
  resource: Resource;
  options: Pick<ImportOptions, 'stale' | 'listMode' | 'onDeleted' | 'isReadOnlyIgnored'>;
}

/** Returns the change of a row. `record` is the record that it matches, if there is one. */
export function decide(intent: Intent, record: Row | undefined, deciding: Deciding): RowChange {
  const decision = decisionFor(intent, record, deciding);
  return 'problems' in decision
    ? { state: 'bad', action: 'skip', id: idOf(record), error: rowError(decision.problems) }
    : decision;
}

type Decision = RowChange | { problems: RowProblem[] };

function decisionFor(intent: Intent, record: Row | undefined, deciding: Deciding): Decision {
  const { resource, options } = deciding;
  const { command } = intent;
  if (record === undefined) {
    const isNew = command === 'upsert' || command === 'create';
    if (isNew && intent.id !== undefined && !options.isReadOnlyIgnored) {
      const how = 'if the file is from another account: --ignore-read-only';
      return refusal(
        command === 'create'
          ? `has the id ${intent.id}, which can't be set on a new ${resource.noun} (${how})`
          : `has the id ${intent.id}, which no ${resource.noun} has (${how})`,
      );
    }
    if (isNew) return creation(intent, deciding);
    return refusal(`matches no ${resource.noun} to ${command}`);
  }
  const id = idOf(record);
  if (id === null)
    return refusal(`matches ${withArticle(resource.noun)} whose ID the service doesn't return`);
  if (command === 'create') return refusal(`already exists: ${resource.noun} ${id}`);
  const isOtherAccounts = intent.id !== undefined && intent.id !== id;
  if (isOtherAccounts && !options.isReadOnlyIgnored) {
    return refusal(`has the id ${intent.id}, but its key is that of the ${resource.noun} ${id}`);
  }
  const isStale = !isOtherAccounts && options.stale === 'refuse' && hasChangedSince(record, intent.updatedAt);
  const decision =
    command === 'delete' ? deletion(id, record, resource) : change(intent, id, record, deciding);
  // A row that needs no change may have been sent before, from this very file.
  if (!isStale || !('state' in decision) || decision.state !== 'planned') return decision;
  if (isOnlyRestored(decision, resource)) return decision;
  return refusal(
    `is older than the ${resource.noun} ${id}, which was ${lastDone(record)}; the file has ${intent.updatedAt} (to overwrite it: --stale overwrite)`,
  );
}

/**
 * Returns whether a row only restores its record. Nothing is overwritten then: the record has the row's values, and
 * only its deletion is newer than the row.
 */
function isOnlyRestored({ steps }: RowChange, resource: Resource): boolean {
  const restore = operation(resource, 'restore')?.verb;
  return steps?.every(({ verb }) => verb === restore) === true;
}

/** Returns when a record was last changed, for messages. A deletion counts as a change and hides earlier ones. */
export function lastDone({ updated_at: updatedAt, deleted_at: deletedAt }: Row): string {
  return updatedAt === deletedAt
    ? `deleted at ${deletedAt}, and may have changed before that`
    : `last changed at ${updatedAt}`;
}

function creation({ body, doubts }: Intent, { resource }: Deciding): Decision {
  const { create, update, setAtFirst, shownNames } = writesOf(resource);
  if (!create) return refusal(`would create ${withArticle(resource.noun)}, which the API doesn't support`);
  // A new record has no value for a cleared field anyway.
  const first = { ...usualIn(create), ...given(body, create.body) };
  const problems = [...checkNew(create, unmasked(first), columnsOf(resource)), ...doubtsOf(doubts, body)];
  if (problems.length > 0) return { problems };
  const steps: Step[] = [{ resource: resource.name, verb: create.verb, ids: [], body: first }];
  const rest: Row = {};
  for (const name in body) if (body[name] !== null && !setAtFirst.has(name)) rest[name] = body[name];
  if (Object.keys(rest).length > 0 && update) {
    steps.push({ resource: resource.name, verb: update.verb, ids: [ownId], body: rest });
  }
  const changes: Changes = {};
  for (const part of [first, rest]) {
    for (const name in part)
      changes[shownNames.get(name) ?? name] = [null, isSecret(part[name]) ? redactionText : part[name]];
  }
  return { state: 'planned', action: 'create', id: null, steps, changes };
}

function change(intent: Intent, id: string, record: Row, { resource, options }: Deciding): Decision {
  const restored = restoration(id, record, resource, options.onDeleted);
  if (restored === undefined)
    return refusal(
      `matches the ${resource.noun} ${id}, which is deleted (to restore it: --on-deleted restore)`,
    );
  const update = operation(resource, 'update');
  const fixed = fixedProblems(intent.body, record, resource, update);
  if (fixed.length > 0) return { problems: fixed };
  const difference: Difference = update
    ? differenceOf(update.body, intent.body, record, options.listMode)
    : { body: {}, changes: {} };
  const doubted = doubtsOf(intent.doubts, difference.body);
  if (doubted.length > 0) return { problems: doubted };
  const hasChanges = Object.keys(difference.body).length > 0;
  if (hasChanges && !update)
    return refusal(`would update ${withArticle(resource.noun)}, which the API doesn't support`);
  const steps: Step[] = [...restored];
  if (hasChanges && update) {
    const known = knownValues(resource, record, Object.keys(difference.changes));
    steps.push({ resource: resource.name, verb: update.verb, ids: [id], body: difference.body, known });
  }
  if (steps.length === 0) return { state: 'done', action: 'skip', id };
  return { state: 'planned', action: 'update', id, steps, changes: difference.changes };
}

/** Returns why the values to send are probably a mistake. */
export function doubtsOf(doubts: Intent['doubts'], body: Row): RowProblem[] {
  return Object.entries(doubts ?? {}).flatMap(([name, problem]) =>
    Object.hasOwn(body, name) ? [problem] : [],
  );
}

/** Returns the steps that restore a record; none if it isn't deleted, and undefined if restoring isn't wanted. */
function restoration(
  id: string,
  record: Row,
  resource: Resource,
  onDeleted: ImportOptions['onDeleted'],
): Step[] | undefined {
  if (!isDeleted(record)) return [];
  const restore = operation(resource, 'restore');
  if (onDeleted !== 'restore' || !restore) return undefined;
  return [{ resource: resource.name, verb: restore.verb, ids: [id], known: knownValues(resource, record) }];
}

function deletion(id: string, record: Row, resource: Resource): Decision {
  const remove = operation(resource, 'delete');
  if (!remove) return refusal(`would delete ${withArticle(resource.noun)}, which the API doesn't support`);
  if (isDeleted(record)) return { state: 'done', action: 'skip', id };
  return {
    state: 'planned',
    action: 'delete',
    id,
    steps: [{ resource: resource.name, verb: remove.verb, ids: [id], known: knownValues(resource, record) }],
  };
}

/** Returns the problems of fields that are set at creation: they may be given only with their current values. */
function fixedProblems(
  body: Row,
  record: Row,
  resource: Resource,
  update: Operation | undefined,
): RowProblem[] {
  const create = operation(resource, 'create');
  const fixed = (create?.body ?? []).filter(({ name }) => !update?.body.some((entry) => entry.name === name));
  const { body: changed } = differenceOf(fixed, body, record);
  return fixed
    .filter(({ name, shown, field }) => {
      if (!Object.hasOwn(changed, name)) return false;
      const isUnknown = record[shown] === undefined || field.isHidden;
      return isUnknown || !isSame(field, record[shown], body[name]);
    })
    .map(({ shown, field }) => ({
      column: shown,
      what: field.traits.secret
        ? "is set at creation and can't be changed"
        : `is set at creation: ${JSON.stringify(record[shown])} can't become ${JSON.stringify(body[shown])}`,
    }));
}

/**
 * Returns whether a record has changed since the time in the file, which may lack its seconds: spreadsheets omit them.
 */
export function hasChangedSince({ updated_at: at }: Row, known: string | undefined): boolean {
  if (known === undefined || typeof at !== 'string') return false;
  return !at.replace('T', ' ').startsWith(known);
}

function refusal(what: string): Decision {
  return { problems: [{ what }] };
}

function idOf(record: Row | undefined): string | null {
  return typeof record?.id === 'string' && record.id !== '' ? record.id : null;
}

/** Returns the fields that a body gives a value, in their order. */
function given(body: Row, fields: readonly BodyField[]): Row {
  const found: Row = {};
  for (const { name } of fields) {
    if (Object.hasOwn(body, name) && body[name] !== null) found[name] = body[name];
  }
  return found;
}

/** Returns the usual values of fields that a new document needs: it is a draft unless the file says otherwise. */
function usualIn({ resource, body }: Operation): Row {
  const needed = resource.transactional
    ? body.filter(({ isRequired, field }) => isRequired && field.traits.usual !== undefined)
    : [];
  return Object.fromEntries(needed.map(({ name, field }) => [name, field.traits.usual]));
}

/** Returns the body with a valid text in place of each secret, which was validated when it was read. */
function unmasked(body: Row): Row {
  if (!Object.values(body).some(isSecret)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isSecret(value) ? '0000' : value]),
  );
}

/** What rows may ask for, and how answers call the request fields: computed once for all rows. */
interface Writes {
  create: Operation | undefined;
  update: Operation | undefined;
  /** The names of fields that a new record can be given. */
  setAtFirst: ReadonlySet<string>;
  shownNames: ReadonlyMap<string, string>;
}

const writesByResource = new WeakMap<Resource, Writes>();

function writesOf(resource: Resource): Writes {
  const made = writesByResource.get(resource);
  if (made) return made;
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const setAtFirst = new Set(create?.body.map(({ name }) => name));
  const writes = { create, update, setAtFirst, shownNames: shownNamesOf(resource) };
  writesByResource.set(resource, writes);
  return writes;
}

function shownNamesOf(resource: Resource): Map<string, string> {
  const names = new Map<string, string>();
  for (const { create, update, shown } of columnsOf(resource)) {
    for (const entry of [create, update]) if (entry && !names.has(entry.name)) names.set(entry.name, shown);
  }
  return names;
}
