/** Derives the operations of a resource from its declaration: path, scopes and body of each request. */

import { once } from '../../base/once.ts';
import type { Field, Fields, Traits } from './field.ts';
import { type Access, type Link, type Resource, scopesOf } from './resource.ts';
import type { Scope } from './scope.ts';
import { capitalize } from './wording.ts';

/** An HTTP method of the API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What an operation does, independent of its verb. */
export type Effect = 'list' | 'get' | 'create' | 'update' | 'delete' | 'restore' | 'link' | 'unlink' | 'act';

/** A field that the body of a request may contain. */
export interface BodyField {
  /** The name in the request: `category_id`, `tags`. */
  name: string;
  /** The name in responses: `category`, `tags`. */
  responseName: string;
  field: Field;
  /** Whether the service refuses requests without the field. Always false for updates, which change only the fields that they contain. */
  isRequired: boolean;
  /** Whether the caller must send the field: it is required and has no default. */
  mustBeSent: boolean;
}

/** An ID in the path of an operation. */
export interface Param {
  /** The name in the API document: `supplierId`. */
  name: string;
  /** The resource or reference whose record it identifies. */
  target: string;
  /** The natural key of an example record; see `Link.exampleKey`. */
  exampleKey?: string | undefined;
}

/** The link that an operation sets or removes. */
export interface OperationLink extends Link {
  /** The end of the verb: `ingredient` in `link-ingredient`. */
  suffix: string;
}

/** One operation of the API. */
export interface Operation {
  readonly resource: Resource;
  /** The verb on the command line: `list`, `link-ingredient`. */
  readonly verb: string;
  /** The whole command: `suppliers link-item`, `whoami`. */
  readonly command: string;
  readonly effect: Effect;
  readonly method: Method;
  /** The method that some deployments use instead. */
  readonly alternate?: Method | undefined;
  /** The path with the parameter names of the API document: `/suppliers/{supplierId}/items/{inventoryItemId}`. */
  readonly path: string;
  /** The IDs in the path, in order. */
  readonly params: readonly Param[];
  /** The alternative scopes: a token needs one of them. Empty if the API document lists none. */
  readonly scopes: readonly Scope[];
  /** The fields that the body, or the query of a GET, may contain, in the order of the resource's fields. */
  readonly body: readonly BodyField[];
  /** What a successful response contains. `nothing`: the API document doesn't promise a body, for example for deletes. */
  readonly response: 'record' | 'records' | 'nothing';
  /** One sentence for help and the reference. */
  readonly description: string;
  /** The past tense of the verb for messages: "created", "linked". */
  readonly pastTense: string;
  /** The link that a `link` or `unlink` operation sets or removes. */
  readonly link?: OperationLink | undefined;
  /** The operation that undoes this one; undefined if none does. */
  readonly inverse: Operation | undefined;
}

const operationsByResource = new WeakMap<Resource, readonly Operation[]>();

/** Returns all operations of a resource, in the order of the API document. */
export function operations(resource: Resource): readonly Operation[] {
  const cachedOperations = operationsByResource.get(resource) ?? [
    ...simpleOperations(resource),
    ...linkOperations(resource),
    ...actionOperations(resource),
  ];
  operationsByResource.set(resource, cachedOperations);
  return cachedOperations;
}

/** Returns the operation with this verb; undefined if the resource has none. */
export function operation(resource: Resource, verb: string): Operation | undefined {
  return operations(resource).find((candidate) => candidate.verb === verb);
}

/** Returns the operation with this verb of a resource that is known to have it. Throws if it doesn't. */
export function requireOperation(resource: Resource, verb: string): Operation {
  const found = operation(resource, verb);
  if (!found) throw new Error(`${resource.name} has no ${verb}`);
  return found;
}

/** Returns whether the operation can change data of the service. */
export function isWrite({ effect }: Operation): boolean {
  return effect !== 'list' && effect !== 'get';
}

/**
 * Returns the scopes that the sandbox requires: a token needs one of them. If the API document lists none, these are the
 * scopes of the resource's update: a token that can't change a record shouldn't delete it. If empty, the sandbox accepts
 * any valid token.
 */
export function requiredScopes({ scopes, resource }: Operation): readonly Scope[] {
  return scopes.length > 0 || !resource.update ? scopes : scopesOf(resource.update);
}

/** The properties that an operation is created from. */
type OperationSpec = Pick<
  Operation,
  | 'resource'
  | 'verb'
  | 'effect'
  | 'method'
  | 'alternate'
  | 'path'
  | 'response'
  | 'description'
  | 'pastTense'
  | 'link'
> & {
  access: Access;
  /** The verb of the operation that undoes this one. */
  undoneBy?: string | undefined;
  /** Called on first use, so that commands don't create fields that they don't need. */
  params?: () => readonly Param[];
  body?: () => readonly BodyField[];
};

function createOperation({
  access,
  undoneBy,
  params = noItems,
  body = noItems,
  ...properties
}: OperationSpec): Operation {
  const [cachedParams, cachedBody] = [once(params), once(body)];
  const { resource, verb } = properties;
  return {
    ...properties,
    command: resource.singleton ? resource.command : `${resource.command} ${verb}`,
    scopes: scopesOf(access),
    get params() {
      return cachedParams();
    },
    get body() {
      return cachedBody();
    },
    get inverse() {
      return undoneBy === undefined ? undefined : operation(resource, undoneBy);
    },
  };
}

function noItems(): [] {
  return [];
}

const simpleSpecs = {
  list: { method: 'GET', response: 'records', pastTense: 'listed' },
  get: { method: 'GET', response: 'record', pastTense: 'shown' },
  create: { method: 'POST', response: 'record', pastTense: 'created', undoneBy: 'delete' },
  update: { method: 'PUT', response: 'record', pastTense: 'updated', undoneBy: 'update' },
  delete: { method: 'DELETE', response: 'nothing', pastTense: 'deleted', undoneBy: 'restore' },
  restore: { method: 'PUT', response: 'nothing', pastTense: 'restored', undoneBy: 'delete' },
} as const;

type SimpleEffect = keyof typeof simpleSpecs;

function simpleOperations(resource: Resource): Operation[] {
  return (Object.keys(simpleSpecs) as SimpleEffect[]).flatMap((effect) => {
    const access = resource[effect];
    if (!access) return [];
    const isOnCollection = effect === 'list' || effect === 'create' || resource.singleton === true;
    const path = isOnCollection ? resource.path : `${resource.path}/{${resource.param}}`;
    return createOperation({
      resource,
      access,
      verb: effect,
      effect,
      ...simpleSpecs[effect],
      description: capitalize(effect),
      path: effect === 'restore' ? `${path}/restore` : path,
      params: () => (isOnCollection ? [] : [recordParam(resource)]),
      body: () => (effect === 'create' || effect === 'update' ? bodyFields(resource.fields, effect) : []),
    });
  });
}

function linkOperations(resource: Resource): Operation[] {
  return Object.entries(resource.links ?? {}).flatMap(([suffix, link]) => {
    const traits = (): Partial<Traits> => resource.fields[link.field]?.traits ?? {};
    const shared = {
      resource,
      access: link,
      path: `${resource.path}/{${resource.param}}/${link.field}/{${link.param}}`,
      params: () => [
        recordParam(resource),
        { name: link.param, target: traits().target ?? '', exampleKey: link.exampleKey },
      ],
      link: { ...link, suffix },
    };
    const [linkVerb, unlinkVerb] = [`link-${suffix}`, `unlink-${suffix}`];
    return [
      createOperation({
        ...shared,
        verb: linkVerb,
        effect: 'link',
        method: 'POST',
        body: () => bodyFields(traits().pivot ?? {}, 'link'),
        response: 'record',
        description: `Set ${link.description}`,
        pastTense: 'linked',
        undoneBy: unlinkVerb,
      }),
      createOperation({
        ...shared,
        verb: unlinkVerb,
        effect: 'unlink',
        method: 'DELETE',
        response: 'nothing',
        description: `Remove ${link.description}`,
        pastTense: 'unlinked',
        undoneBy: linkVerb,
      }),
    ];
  });
}

function actionOperations(resource: Resource): Operation[] {
  return Object.entries(resource.actions ?? {}).map(([verb, action]) =>
    createOperation({
      resource,
      access: action,
      verb,
      effect: 'act',
      method: action.method,
      alternate: action.alternate,
      path: `${resource.path}/{${resource.param}}`,
      params: () => [recordParam(resource)],
      body: () => bodyFields(action.fields(), 'act'),
      response: 'record',
      description: action.description,
      pastTense: action.pastTense,
    }),
  );
}

function recordParam({ param, name }: Resource): Param {
  return { name: param, target: name };
}

/** Returns the fields that a request may contain for each linked record: the writable fields of the pivot. */
export function linkFields({ traits: { pivot = {} } }: Field): readonly BodyField[] {
  return bodyFields(pivot, 'link');
}

/** Returns whether the field contains the lines of a document, such as a stock count: linked records with one number each. */
export function isDocumentLines({ traits }: Field): boolean {
  return traits.required === true && traits.amountField !== undefined;
}

/** Returns the fields that a request may contain for each nested object. */
export function nestedFields({ traits: { fields = {} } }: Field): readonly BodyField[] {
  return bodyFields(fields, 'link');
}

/** Returns a `BodyField` for a field that no request of the contract contains. */
export function plainBodyField(name: string, field: Field): BodyField {
  return { name, responseName: name, field, isRequired: false, mustBeSent: false };
}

/** Returns the fields that a request may contain. A relation to one record is named after its ID: `category_id`. */
function bodyFields(fields: Fields, effect: Effect): BodyField[] {
  const acceptedModes = effect === 'update' ? ['always', 'in_updates'] : ['always', 'at_creation'];
  return Object.entries(fields).flatMap(([responseName, field]) => {
    const { writable, required, defaultsToSignedInUser } = field.traits;
    if (writable === undefined || !acceptedModes.includes(writable)) return [];
    const isRequired = required === true && effect !== 'update';
    const mustBeSent = isRequired && !defaultsToSignedInUser;
    const name = field.kind === 'one' ? `${responseName}_id` : responseName;
    return [{ name, responseName, field, isRequired, mustBeSent }];
  });
}
