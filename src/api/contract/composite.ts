/** Defines composite verbs: commands that consist of several operations of the API, such as `upsert`. */

import { once } from '../../base/once.ts';
import type { Kind } from './field.ts';
import { type BodyField, type Operation, operation, operations } from './operation.ts';
import type { Resource } from './resource.ts';

/** A command that consists of several operations. It has the same properties as a single operation. */
export interface CompositeOperation extends Operation {
  /** The operations in the order in which they are called. */
  readonly steps: readonly Operation[];
}

/**
 * Returns the verb `upsert`, which creates a record or updates the existing one. It accepts the fields of both requests.
 * No field is required, because boh decides only later which request to send. Returns undefined if the resource lacks one
 * of the operations.
 */
export function upsertOf(resource: Resource): CompositeOperation | undefined {
  const [list, get, create, update] = ['list', 'get', 'create', 'update'].map((verb) =>
    operation(resource, verb),
  );
  if (!list || !get || !create || !update) return undefined;
  const restore = operation(resource, 'restore');
  const body = once(() => {
    const byName = new Map([...create.body, ...update.body].map((entry) => [entry.name, entry]));
    return [...byName.values()].map(
      (entry): BodyField => ({ ...entry, isRequired: false, mustBeSent: false }),
    );
  });
  return {
    resource,
    verb: 'upsert',
    command: `${resource.command} upsert`,
    effect: 'update',
    method: update.method,
    path: resource.path,
    params: [],
    scopes: [],
    response: 'record',
    description: 'Create a record, or update the existing one',
    pastTense: 'upserted',
    inverse: undefined,
    steps: [list, get, create, update, ...(restore ? [restore] : [])],
    get body() {
      return body();
    },
  };
}

export function compositeVerbs(resource: Resource): CompositeOperation[] {
  return [upsertOf(resource)].filter((composite) => composite !== undefined);
}

/** Returns all verbs of a resource: the operations of the API and the composite verbs. */
export function verbsOf(resource: Resource): readonly Operation[] {
  return [...operations(resource), ...compositeVerbs(resource)];
}

export function isComposite(operation: Operation): operation is CompositeOperation {
  return 'steps' in operation;
}

/** Kinds of fields whose value can identify a record. */
const identifyingKinds: readonly Kind[] = [
  'text',
  'integer',
  'numeric_text',
  'choice',
  'date',
  'unit',
  'one',
];

/** Returns the fields that can identify a record: requests set them at creation, and responses contain them. */
export function keyFields(create: Operation): BodyField[] {
  return create.body.filter(
    ({ field: { kind, traits, isHidden } }) =>
      identifyingKinds.includes(kind) && !isHidden && !traits.defaultsToSignedInUser,
  );
}
