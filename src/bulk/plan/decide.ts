/** Decides the action for one row and its record: the requests, or the reason why the row is skipped. */

import { redactionMarker } from '../../base/redaction.ts';
import { type BodyField, type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { withArticle } from '../../contract/wording.ts';
import type { Intent } from '../../runs/intent.ts';
import { type RowChange, recordIdPlaceholder, type Step } from '../../runs/ledger/row.ts';
import { isSecretPlaceholder } from '../../runs/ledger/secret-placeholder.ts';
import { recordSnapshot } from '../../runs/record-snapshot.ts';
import { rowError } from '../../runs/row-error.ts';
import { type Changes, type Difference, differenceOf } from '../../session/diff/fields.ts';
import { isSameValue } from '../../session/diff/values.ts';
import { isDeleted } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import { columnsOf } from '../../tables/columns/columns.ts';
import { damageProblems } from '../../tables/columns/damage.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import type { RowProblem } from '../../tables/table.ts';
import { newRecordProblems } from './parse-row.ts';

/** The resource and options that the decision depends on, the same for all rows. */
export interface DecisionContext {
  resource: Resource;
  options: Pick<
    ImportOptions,
    'stale' | 'listMode' | 'onDeleted' | 'isReadOnlyIgnored' | 'acceptsDamage' | 'normalizesPhones'
  >;
}

/** Returns the change of the ledger row. `record` is the record that the row matches, if there is one. */
export function decide(intent: Intent, record: Row | undefined, context: DecisionContext): RowChange {
  const decision = decideRow(intent, record, context);
  return 'problems' in decision
    ? { state: 'bad', action: 'skip', id: idOf(record), error: rowError(decision.problems) }
    : decision;
}

type Decision = RowChange | { problems: RowProblem[] };

function decideRow(intent: Intent, record: Row | undefined, context: DecisionContext): Decision {
  const { resource, options } = context;
  const { command } = intent;
  if (record === undefined) {
    const isNew = command === 'upsert' || command === 'create';
    if (isNew && intent.id !== undefined && !options.isReadOnlyIgnored) {
      const hint = 'if the file is from another account: --ignore-read-only';
      return rejectRow(
        command === 'create'
          ? `has the ID ${intent.id}, which can't be set on a new ${resource.noun} (${hint})`
          : `has the ID ${intent.id}, but no ${resource.noun} with this ID exists (${hint})`,
      );
    }
    if (isNew) return decideCreate(intent, context);
    const unmatched = { what: `matches no ${resource.noun} to ${command}` };
    return { problems: [unmatched, ...suspectValueProblems(intent.doubts, intent.body)] };
  }
  const id = idOf(record);
  if (id === null)
    return rejectRow(`matches ${withArticle(resource.noun)} whose ID the service doesn't return`);
  if (command === 'create') return rejectRow(`already exists: ${resource.noun} ${id}`);
  const isForeignId = intent.id !== undefined && intent.id !== id;
  if (isForeignId && !options.isReadOnlyIgnored) {
    return rejectRow(`has the ID ${intent.id}, but its key belongs to the ${resource.noun} ${id}`);
  }
  const isStale = !isForeignId && options.stale === 'refuse' && hasChangedSince(record, intent.updatedAt);
  const decision =
    command === 'delete' ? decideDelete(id, record, resource) : decideUpdate(intent, id, record, context);
  // A row without changes isn't refused: an earlier import of the same file may have written it.
  if (!isStale || !('state' in decision) || decision.state !== 'planned') return decision;
  if (onlyRestores(decision, resource)) return decision;
  return rejectRow(
    `is based on another version of the ${resource.noun} ${id}, which was ${describeLastChange(record)}; the file has ${intent.updatedAt} (to overwrite it: --stale overwrite)`,
  );
}

/**
 * Returns whether a row only restores its record. Such a row overwrites nothing: the record already has its values, and
 * only the deletion is newer than the file.
 */
function onlyRestores({ steps }: RowChange, resource: Resource): boolean {
  const restore = operation(resource, 'restore')?.verb;
  return steps?.every(({ verb }) => verb === restore) === true;
}

/** Returns when a record was last changed, for messages. A deletion replaces the time of earlier changes. */
export function describeLastChange({ updated_at: updatedAt, deleted_at: deletedAt }: Row): string {
  return updatedAt === deletedAt
    ? `deleted at ${deletedAt}, and may have changed before that`
    : `last changed at ${updatedAt}`;
}

function decideCreate({ body, doubts }: Intent, { resource }: DecisionContext): Decision {
  const { create, update, createFields, responseNames } = writesOf(resource);
  if (!create) return rejectRow(`would create ${withArticle(resource.noun)}, which the API doesn't support`);
  // A cleared field is omitted, because a new record doesn't have a value for it.
  const createBody = { ...defaultsIn(create), ...valuesFor(body, create.body) };
  const problems = [
    ...newRecordProblems(create, replaceSecretPlaceholders(createBody), columnsOf(resource)),
    ...suspectValueProblems(doubts, body),
  ];
  if (problems.length > 0) return { problems };
  const steps: Step[] = [{ resource: resource.name, verb: create.verb, ids: [], body: createBody }];
  const updateBody: Row = {};
  for (const name in body) if (body[name] !== null && !createFields.has(name)) updateBody[name] = body[name];
  if (Object.keys(updateBody).length > 0 && update) {
    steps.push({ resource: resource.name, verb: update.verb, ids: [recordIdPlaceholder], body: updateBody });
  }
  const changes: Changes = {};
  for (const part of [createBody, updateBody]) {
    for (const name in part)
      changes[responseNames.get(name) ?? name] = [
        null,
        isSecretPlaceholder(part[name]) ? redactionMarker : part[name],
      ];
  }
  return { state: 'planned', action: 'create', id: null, steps, changes };
}

function decideUpdate(
  intent: Intent,
  id: string,
  record: Row,
  { resource, options }: DecisionContext,
): Decision {
  const stepsToRestore = restoreSteps(id, record, resource, options.onDeleted);
  if (stepsToRestore === undefined)
    return rejectRow(
      `matches the ${resource.noun} ${id}, which is deleted (to restore it: --on-deleted restore)`,
    );
  const update = operation(resource, 'update');
  const fixedProblems = fixedFieldProblems(intent.body, record, resource, update);
  if (fixedProblems.length > 0) return { problems: fixedProblems };
  const difference: Difference = update
    ? differenceOf(update.body, intent.body, record, options.listMode)
    : { body: {}, changes: {} };
  const suspect = suspectValueProblems(intent.doubts, difference.body);
  const damaged = damageProblems(resource, difference.changes, options);
  if (suspect.length + damaged.length > 0) return { problems: [...suspect, ...damaged] };
  const hasChanges = Object.keys(difference.body).length > 0;
  if (hasChanges && !update)
    return rejectRow(`would update ${withArticle(resource.noun)}, which the API doesn't support`);
  const steps: Step[] = [...stepsToRestore];
  if (hasChanges && update) {
    const snapshot = recordSnapshot(resource, record, Object.keys(difference.changes));
    steps.push({
      resource: resource.name,
      verb: update.verb,
      ids: [id],
      body: difference.body,
      known: snapshot,
    });
  }
  if (steps.length === 0) return { state: 'done', action: 'skip', id };
  return { state: 'planned', action: 'update', id, steps, changes: difference.changes };
}

/** Returns the problems of values that are probably mistakes, for those values that would be sent. */
export function suspectValueProblems(doubts: Intent['doubts'], body: Row): RowProblem[] {
  return Object.entries(doubts ?? {}).flatMap(([name, problem]) =>
    Object.hasOwn(body, name) ? [problem] : [],
  );
}

/** Returns the steps that restore a record; empty if it isn't deleted, and undefined if it mustn't be restored. */
function restoreSteps(
  id: string,
  record: Row,
  resource: Resource,
  onDeleted: ImportOptions['onDeleted'],
): Step[] | undefined {
  if (!isDeleted(record)) return [];
  const restore = operation(resource, 'restore');
  if (onDeleted !== 'restore' || !restore) return undefined;
  return [
    { resource: resource.name, verb: restore.verb, ids: [id], known: recordSnapshot(resource, record) },
  ];
}

function decideDelete(id: string, record: Row, resource: Resource): Decision {
  const remove = operation(resource, 'delete');
  if (!remove) return rejectRow(`would delete ${withArticle(resource.noun)}, which the API doesn't support`);
  if (isDeleted(record)) return { state: 'done', action: 'skip', id };
  return {
    state: 'planned',
    action: 'delete',
    id,
    steps: [
      { resource: resource.name, verb: remove.verb, ids: [id], known: recordSnapshot(resource, record) },
    ],
  };
}

/** Returns the problems of fields that can only be set at creation and that the row would change. */
function fixedFieldProblems(
  body: Row,
  record: Row,
  resource: Resource,
  update: Operation | undefined,
): RowProblem[] {
  const create = operation(resource, 'create');
  const fixedFields = (create?.body ?? []).filter(
    ({ name }) => !update?.body.some((entry) => entry.name === name),
  );
  const { body: changedValues } = differenceOf(fixedFields, body, record);
  return fixedFields
    .filter(({ name, responseName, field }) => {
      if (!Object.hasOwn(changedValues, name)) return false;
      const isUnknown = record[responseName] === undefined || field.isHidden;
      return isUnknown || !isSameValue(field, record[responseName], body[name]);
    })
    .map(({ responseName, field }) => ({
      column: responseName,
      what: field.traits.secret
        ? "is set at creation and can't be changed"
        : `is set at creation: ${JSON.stringify(record[responseName])} can't become ${JSON.stringify(body[responseName])}`,
    }));
}

/**
 * Returns whether a record has changed since the time in the file. The time may have no seconds: spreadsheets omit them.
 */
export function hasChangedSince({ updated_at: updatedAt }: Row, fileTime: string | undefined): boolean {
  if (fileTime === undefined || typeof updatedAt !== 'string') return false;
  return !updatedAt.replace('T', ' ').startsWith(fileTime);
}

function rejectRow(message: string): Decision {
  return { problems: [{ what: message }] };
}

function idOf(record: Row | undefined): string | null {
  return typeof record?.id === 'string' && record.id !== '' ? record.id : null;
}

/** Returns the values of `fields` in a body, without nulls, in the order of the fields. */
function valuesFor(body: Row, fields: readonly BodyField[]): Row {
  const values: Row = {};
  for (const { name } of fields) {
    if (Object.hasOwn(body, name) && body[name] !== null) values[name] = body[name];
  }
  return values;
}

/** Returns the default values of the fields that a new document requires, such as the status draft. */
function defaultsIn({ resource, body }: Operation): Row {
  const fields = resource.transactional
    ? body.filter(({ isRequired, field }) => isRequired && field.traits.formDefault !== undefined)
    : [];
  return Object.fromEntries(fields.map(({ name, field }) => [name, field.traits.formDefault]));
}

/** Returns the body with a valid sample value instead of each secret placeholder. Secrets were validated when they were read. */
function replaceSecretPlaceholders(body: Row): Row {
  if (!Object.values(body).some(isSecretPlaceholder)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isSecretPlaceholder(value) ? '0000' : value]),
  );
}

/** The operations that rows can use, and the field names in responses. Computed once for each resource. */
interface WriteOperations {
  create: Operation | undefined;
  update: Operation | undefined;
  /** The names of the request fields that create accepts. */
  createFields: ReadonlySet<string>;
  /** The names of the fields in responses, by their names in requests. */
  responseNames: ReadonlyMap<string, string>;
}

const writesByResource = new WeakMap<Resource, WriteOperations>();

function writesOf(resource: Resource): WriteOperations {
  const cached = writesByResource.get(resource);
  if (cached) return cached;
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const createFields = new Set(create?.body.map(({ name }) => name));
  const writes = { create, update, createFields, responseNames: responseNamesOf(resource) };
  writesByResource.set(resource, writes);
  return writes;
}

function responseNamesOf(resource: Resource): Map<string, string> {
  const names = new Map<string, string>();
  for (const { create, update, responseName } of columnsOf(resource)) {
    for (const entry of [create, update])
      if (entry && !names.has(entry.name)) names.set(entry.name, responseName);
  }
  return names;
}
