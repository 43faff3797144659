/**
 * Decides which requests make a record as its source wants it. Every plan of a run uses it: the only place that knows when a
 * record is restored, created, updated or deleted, and in which order its fields and links are sent.
 */

import {
  type Changes,
  differenceOf,
  isSameLink,
  linkChanges,
  linkValues,
} from '../../account/session/diff/fields.ts';
import type { ListMerge } from '../../account/session/diff/lists.ts';
import { isSameValue } from '../../account/session/diff/values.ts';
import { isDeleted } from '../../account/session/list.ts';
import { linkTo } from '../../account/session/record-body.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import { isSameText } from '../../api/contract/normalize-key.ts';
import { type BodyField, type Operation, operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { validateBody } from '../../api/contract/validate.ts';
import { withArticle } from '../../api/contract/wording.ts';
import { redactionMarker } from '../../base/redaction.ts';
import { type Column, columnsOf } from '../tables/columns/columns.ts';
import { damageProblems } from '../tables/columns/damage.ts';
import type { ImportOptions } from '../tables/columns/options.ts';
import type { RowProblem } from '../tables/table.ts';
import {
  isSecretPlaceholder,
  type RowChange,
  type RowReference,
  recordIdPlaceholder,
  rowError,
  type Step,
  withIds,
} from './ledger/row.ts';

/** A record as its source wants it. IDs in values and links may be references to rows whose records don't exist yet. */
export interface Desired {
  resource: Resource;
  /** `absent`: the record is deleted, after the values and links were set. */
  state: 'present' | 'absent';
  /** The values by the names of request fields; null clears a field. */
  values: Row;
  /** The fields of `values` that the API document doesn't list. */
  otherFields?: readonly BodyField[] | undefined;
  links?: readonly DesiredLink[] | undefined;
  /** The original text of normalized values, by the same names: a record that has this text isn't changed. */
  written?: Readonly<Record<string, string>> | undefined;
  /** The reasons why values are probably mistakes, by the same names: they are accepted only if the record has them. */
  doubts?: Readonly<Record<string, RowProblem>> | undefined;
  /** When the record last changed according to the source, with or without seconds; undefined if it doesn't matter. */
  updatedAt?: string | undefined;
}

export interface DesiredLink {
  /** The operation that sets it. */
  operation: Operation;
  linkedId: string | RowReference;
  /** The values of the link; undefined if it is removed. */
  values: Row | undefined;
  /** Whether the link must have no other values. */
  isWhole?: boolean;
}

/** What a plan may do with records that differ from the source. */
export interface Policy {
  lists?: ListMerge | undefined;
  /** Deleted records are restored, or refused (the default). */
  onDeleted?: ImportOptions['onDeleted'];
  /** Records that changed after `updatedAt` are refused (the default) or overwritten. */
  stale?: ImportOptions['stale'] | undefined;
  /** Values that only a creation accepts are refused (the default) or ignored if the record has others. */
  fixedFields?: 'refuse' | 'ignore';
  /** Whether values that a spreadsheet has probably damaged are written. */
  acceptsDamage?: boolean | undefined;
  normalizesPhones?: boolean | undefined;
  /** Whether the bodies of requests aren't validated, because the session does it when they are sent. */
  skipsValidation?: boolean;
}

/** The requests for a record (`planned`), or `done` if it needs none; or the reasons why the source's record is refused. */
export type Decision = RowChange | { problems: RowProblem[] };

/** Decides the requests for a record. `current` is the record as it is, deleted or not; undefined if there is none. */
export function decide(desired: Desired, current: Row | undefined, policy: Policy = {}): Decision {
  if (!current)
    return desired.state === 'present' ? decideCreation(desired, policy) : { state: 'done', action: 'skip' };
  const decision =
    desired.state === 'present'
      ? decideUpdate(desired, current, policy)
      : decideDeletion(desired, current, policy);
  // A record that needs nothing isn't refused: an earlier run may have written it.
  if (!('state' in decision) || decision.state !== 'planned' || policy.stale === 'overwrite') return decision;
  if (!hasChangedSince(current, desired.updatedAt) || onlyRestores(decision, desired)) return decision;
  return refuse(
    `is based on another version of the ${desired.resource.noun} ${current.id}, which was ${describeLastChange(current)}; the file has ${desired.updatedAt} (to overwrite it: --stale overwrite)`,
  );
}

/** Returns the decision as the change of a row. A refused row has the ID of its record, if there is one. */
export function rowChangeOf(decision: Decision, id: string | null): RowChange {
  if (!('problems' in decision)) return decision;
  return { state: 'bad', action: 'skip', id, error: rowError(decision.problems) };
}

export function refuse(what: string): { problems: RowProblem[] } {
  return { problems: [{ what }] };
}

function decideCreation(desired: Desired, policy: Policy): Decision {
  const { resource, values, otherFields = [], links = [], doubts } = desired;
  const { create, update, responseNames } = writesOf(resource);
  if (!create) return refuse(`would create ${withArticle(resource.noun)}, which the API doesn't support`);
  const createFields = [...create.body, ...otherFields];
  // A cleared field is omitted, because a new record has no value for it.
  const createBody = { ...defaultsIn(create), ...valuesFor(values, createFields) };
  const problems = [
    ...(policy.skipsValidation ? [] : bodyProblems(create, createBody)),
    ...suspectValueProblems(doubts, values),
  ];
  if (problems.length > 0) return { problems };
  const updateBody: Row = {};
  for (const name in values)
    if (values[name] !== null && !createFields.some((entry) => entry.name === name))
      updateBody[name] = values[name];
  const changes: Changes = {};
  for (const part of [createBody, updateBody]) {
    for (const name in part)
      changes[responseNames.get(name) ?? name] = [
        null,
        isSecretPlaceholder(part[name]) ? redactionMarker : part[name],
      ];
  }
  const steps = [
    stepOf(create, [], createBody),
    ...(update && Object.keys(updateBody).length > 0
      ? [stepOf(update, [recordIdPlaceholder], updateBody)]
      : []),
    ...links.flatMap((link) => linkSteps(link, recordIdPlaceholder, undefined)),
  ];
  return { state: 'planned', action: 'create', id: null, steps, changes };
}

function decideUpdate(desired: Desired, current: Row, policy: Policy): Decision {
  const { resource, otherFields = [], links = [], doubts } = desired;
  const id = String(current.id);
  const restore = operation(resource, 'restore');
  if (isDeleted(current) && (policy.onDeleted !== 'restore' || !restore))
    return refuse(
      `matches the ${resource.noun} ${id}, which is deleted (to restore it: --on-deleted restore)`,
    );
  const { update } = writesOf(resource);
  const values = withoutSameText(desired, current);
  const fixed = policy.fixedFields === 'ignore' ? [] : fixedFieldsIn(resource, values, current);
  if (fixed.length > 0) return { problems: fixed.map((field) => fixedFieldProblem(field, values, current)) };
  const fields = [...(update?.body.filter(({ field }) => !field.traits.ignored) ?? []), ...otherFields];
  const { body, changes } = differenceOf(fields, values, current, policy.lists);
  const hasChanges = Object.keys(body).length > 0;
  if (hasChanges && !update)
    return refuse(`would update ${withArticle(resource.noun)}, which the API doesn't support`);
  const problems = [
    ...(hasChanges && update && !policy.skipsValidation ? bodyProblems(update, body) : []),
    ...suspectValueProblems(doubts, body),
    ...damageProblems(resource, changes, policy),
  ];
  if (problems.length > 0) return { problems };
  const steps: Step[] = [
    ...(isDeleted(current) && restore ? [stepOf(restore, [id], undefined, current)] : []),
    ...(hasChanges && update ? [stepOf(update, [id], body, current, Object.keys(changes))] : []),
    ...links.flatMap((link) => linkSteps(link, id, current)),
  ];
  if (steps.length === 0) return { state: 'done', action: 'skip', id };
  return { state: 'planned', action: 'update', id, steps, changes };
}

function decideDeletion(desired: Desired, current: Row, policy: Policy): Decision {
  const { resource } = desired;
  const id = String(current.id);
  const remove = operation(resource, 'delete');
  if (!remove) return refuse(`would delete ${withArticle(resource.noun)}, which the API doesn't support`);
  if (isDeleted(current)) return { state: 'done', action: 'skip', id };
  const update = decideUpdate(desired, current, policy);
  if ('problems' in update) return update;
  const steps = [...(update.steps ?? []), stepOf(remove, [id], undefined, current)];
  return { state: 'planned', action: 'delete', id, steps };
}

/**
 * Returns the step of an operation on a record. The step stores the record as it was read, limited to `names`, so that the
 * history needs no extra request, and a later run finds what has changed since.
 */
export function stepOf(
  { resource, verb }: Pick<Operation, 'resource' | 'verb'>,
  ids: Step['ids'],
  body?: Row,
  current?: Row,
  names?: readonly string[],
): Step {
  return {
    resource: resource.name,
    verb,
    ids,
    ...(body && { body }),
    ...(current && { known: recordSnapshot(resource, current, names) }),
  };
}

/**
 * Returns the step that sets, changes or removes a link; none if the record has it already. `recordId` is the ID of the record;
 * the `current` record is undefined if it is new.
 */
export function linkSteps(
  { operation: set, linkedId, values, isWhole = false }: DesiredLink,
  recordId: Step['ids'][number],
  current: Row | undefined,
): Step[] {
  const { link, resource, inverse } = set;
  const field = link?.field ?? '';
  const isKnown = !current || Array.isArray(current[field]);
  const existing = linkValues(current, field, String(linkedId), set);
  if (isKnown && isSameLink(set, existing, values, { isWhole })) return [];
  const verb = values ? set.verb : inverse?.verb;
  if (verb === undefined) return [];
  const known = current ? linkSnapshot(current, field, String(linkedId)) : { [field]: [] };
  return [
    {
      resource: resource.name,
      verb,
      ids: [recordId, linkedId],
      ...(values && { body: values }),
      ...(known && { known }),
    },
  ];
}

/** Decides the request that sets, changes or removes a single link of an existing record. */
export function decideLink(desiredLink: DesiredLink & { linkedId: string }, current: Row): RowChange {
  const { operation: set, linkedId, values } = desiredLink;
  const steps = linkSteps(desiredLink, String(current.id), current);
  if (steps.length === 0) return { state: 'done', action: 'skip' };
  return values
    ? { state: 'planned', action: 'link', steps, changes: linkChanges(set, values, current, linkedId) }
    : { state: 'planned', action: 'unlink', steps };
}

/** Returns the record without secrets. With `names`, returns only these fields, the ID and the title. */
function recordSnapshot(resource: Resource, record: Row, names?: readonly string[]): Row {
  const identifyingNames = ['id', ...(resource.title === undefined ? [] : [resource.title])];
  const selectedNames = names && new Set([...identifyingNames, ...names]);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name]) => (selectedNames?.has(name) ?? true) && !resource.fields[name]?.traits.secret,
    ),
  );
}

/** Returns the record with its link to one other record; undefined if the record doesn't contain its links. */
function linkSnapshot(record: Row, field: string, linkedId: string): Row | undefined {
  if (!Array.isArray(record[field])) return undefined;
  const link = linkTo(record, field, linkedId);
  return { id: record.id, [field]: link ? [link] : [] };
}

/** A field that only a creation accepts, and whose value would change. */
export interface FixedField {
  entry: BodyField;
  /** Whether the service doesn't return its value. */
  isUnknown: boolean;
}

/** Returns the fields that only a creation accepts, and whose values differ from those of the record. */
export function fixedFieldsIn(resource: Resource, values: Row, current: Row): FixedField[] {
  const { create, update } = writesOf(resource);
  const fixedFields = (create?.body ?? []).filter(
    ({ name, field }) => !field.traits.ignored && !update?.body.some((entry) => entry.name === name),
  );
  const { body } = differenceOf(fixedFields, values, current);
  return fixedFields.flatMap((entry) => {
    const { name, responseName, field } = entry;
    if (!Object.hasOwn(body, name)) return [];
    const isUnknown = current[responseName] === undefined || field.isHidden;
    if (!isUnknown && isSameValue(field, current[responseName], values[name])) return [];
    return [{ entry, isUnknown }];
  });
}

function fixedFieldProblem(
  { entry: { responseName, field } }: FixedField,
  values: Row,
  current: Row,
): RowProblem {
  const [oldText, newText] = [current, values].map((row) => JSON.stringify(row[responseName]));
  const what = field.traits.secret
    ? "is set at creation and can't be changed"
    : `is set at creation: ${oldText} can't become ${newText}`;
  return { column: responseName, what };
}

/** Returns the problems of a body, by the names of columns. References count as valid IDs, and placeholders as valid secrets. */
export function bodyProblems(
  write: Operation,
  body: Row,
  columns: readonly Column[] = columnsOf(write.resource),
): RowProblem[] {
  const resolvedBody = withIds(withSampleSecrets(body), (name) => name);
  const violations = validateBody(write, isRow(resolvedBody) ? resolvedBody : {}, {
    allowsOtherFields: true,
  });
  return Object.entries(violations).flatMap(([path, messages]) => {
    const [name = '', ...inner] = path.split('.');
    const column = columns.find(({ create, update }) => create?.name === name || update?.name === name);
    const location = [column?.name ?? name, ...inner].join('.');
    return messages.map((what) => ({ column: path === '_' ? undefined : location, what }));
  });
}

/** Returns the problems of values that are probably mistakes, for those values that would be sent. */
export function suspectValueProblems(doubts: Desired['doubts'], body: Row): RowProblem[] {
  return Object.entries(doubts ?? {}).flatMap(([name, problem]) =>
    Object.hasOwn(body, name) ? [problem] : [],
  );
}

/** Omits values whose original text the record already has, so that only their spelling would change. */
function withoutSameText({ values, written }: Desired, current: Row): Row {
  if (!written) return values;
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        typeof value !== 'string' || written[name] === undefined || !isSameText(current[name], written[name]),
    ),
  );
}

/**
 * Returns whether a decision only restores its record. It overwrites nothing: the record already has its values, and only the
 * deletion is newer than the source.
 */
function onlyRestores({ steps }: RowChange, { resource }: Desired): boolean {
  const restore = operation(resource, 'restore')?.verb;
  return steps?.every(({ verb }) => verb === restore) === true;
}

/** Returns whether a record has changed since the time in the source. The time may have no seconds: spreadsheets omit them. */
function hasChangedSince({ updated_at: updatedAt }: Row, sourceTime: string | undefined): boolean {
  if (sourceTime === undefined || typeof updatedAt !== 'string') return false;
  return !updatedAt.replace('T', ' ').startsWith(sourceTime);
}

/** Returns when a record was last changed, for messages. A deletion replaces the time of earlier changes. */
function describeLastChange({ updated_at: updatedAt, deleted_at: deletedAt }: Row): string {
  return updatedAt === deletedAt
    ? `deleted at ${deletedAt}, and may have changed before that`
    : `last changed at ${updatedAt}`;
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

/** Returns the body with a valid value instead of each secret placeholder. Secrets were validated when they were read. */
function withSampleSecrets(body: Row): Row {
  if (!Object.values(body).some(isSecretPlaceholder)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isSecretPlaceholder(value) ? '0000' : value]),
  );
}

interface WriteOperations {
  create: Operation | undefined;
  update: Operation | undefined;
  /** The names of the fields in responses, by their names in requests. */
  responseNames: ReadonlyMap<string, string>;
}

// Computed once for each resource, because every row needs it.
const writesByResource = new WeakMap<Resource, WriteOperations>();

function writesOf(resource: Resource): WriteOperations {
  const cached = writesByResource.get(resource);
  if (cached) return cached;
  const responseNames = new Map<string, string>();
  for (const { create, update, responseName } of columnsOf(resource)) {
    for (const entry of [create, update])
      if (entry && !responseNames.has(entry.name)) responseNames.set(entry.name, responseName);
  }
  const writes = {
    create: operation(resource, 'create'),
    update: operation(resource, 'update'),
    responseNames,
  };
  writesByResource.set(resource, writes);
  return writes;
}
