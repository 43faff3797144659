/** Verbs that are several operations, one after the other: they have no address of their own, and follow from those. */
import type { Kind } from './field.ts';
import { lazy } from './lazy.ts';
import { type BodyField, type Operation, operation, operations } from './operation.ts';
import type { Resource } from './resource.ts';

/** Read as an operation is: what it takes, and in which words. */
export interface Composed extends Operation {
  /** In the order in which they may come. */
  readonly madeOf: readonly Operation[];
}

/**
 * `upsert`: one record added, or changed where it is there already. It takes what a creation and what an update take,
 * and nothing has to be given, as far as can be said before it is known which of them it is. Undefined where the
 * resource has not all that it needs.
 */
export function upsertOf(resource: Resource): Composed | undefined {
  const [list, get, create, update] = ['list', 'get', 'create', 'update'].map((verb) =>
    operation(resource, verb),
  );
  if (!list || !get || !create || !update) return undefined;
  const restore = operation(resource, 'restore');
  const body = lazy(() => {
    const all = new Map([...create.body, ...update.body].map((entry) => [entry.name, entry]));
    return [...all.values()].map((entry): BodyField => ({ ...entry, isRequired: false, mustBeGiven: false }));
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
    answer: 'record',
    about: 'Add one, or change the one that is there',
    done: 'there',
    inverse: undefined,
    madeOf: [list, get, create, update, ...(restore ? [restore] : [])],
    get body() {
      return body();
    },
  };
}

/** The composed verbs of a resource. */
export function composedVerbs(resource: Resource): Composed[] {
  return [upsertOf(resource)].filter((composed) => composed !== undefined);
}

/** All verbs by which one record is read or written: those of the document, and those that are made of them. */
export function verbsOf(resource: Resource): readonly Operation[] {
  return [...operations(resource), ...composedVerbs(resource)];
}

export function isComposed(operation: Operation): operation is Composed {
  return 'madeOf' in operation;
}

/** Kinds of which one value can tell a record from others. */
const telling: readonly Kind[] = ['text', 'integer', 'numeric_text', 'choice', 'date', 'unit', 'one'];

/** The fields by which a record can be found again: set when it is made, and shown. */
export function keyFields(create: Operation): BodyField[] {
  return create.body.filter(
    ({ field: { kind, traits, isHidden } }) =>
      telling.includes(kind) && !isHidden && !traits.defaultsToSignedInUser,
  );
}
