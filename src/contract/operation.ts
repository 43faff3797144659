/** The operations of a resource, derived from its declaration: path, scopes and body of each request. */
import type { Field, Fields, Traits } from './field.ts';
import { lazy } from './lazy.ts';
import type { Access, Link, Resource } from './resource.ts';
import { scopesOf } from './resource.ts';
import type { Scope } from './scope.ts';

/** An HTTP method of the API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What an operation does, independent of its verb. */
export type Effect = 'list' | 'get' | 'create' | 'update' | 'delete' | 'restore' | 'link' | 'unlink' | 'act';

/** A field that the body of a request may contain. */
export interface BodyField {
  /** The name in the request: `category_id`, `tags`. */
  name: string;
  /** The name in responses: `category`, `tags`. */
  shown: string;
  field: Field;
  /** The service refuses the request without it. Always false for updates, which change only the given fields. */
  isRequired: boolean;
  /** The caller must provide it: it is required and has no default. */
  mustBeGiven: boolean;
}

/** An id in the path of an operation. */
export interface Param {
  /** The document's name: `supplierId`. */
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
  /** The path with the document's parameter names: `/suppliers/{supplierId}/items/{inventoryItemId}`. */
  readonly path: string;
  /** The ids in the path, in order. */
  readonly params: readonly Param[];
  /** Scopes of which any one is enough; empty if the document shows none. */
  readonly scopes: readonly Scope[];
  /** The fields that the body, or the query of a GET, may contain, in the order of the resource's fields. */
  readonly body: readonly BodyField[];
  /** What a successful response contains. Deletes and restores don't promise a body. */
  readonly answer: 'record' | 'records' | 'nothing';
  /** One sentence for help and the reference. */
  readonly about: string;
  /** The past participle for messages: "created", "linked". */
  readonly done: string;
  /** The link, for `link` and `unlink`. */
  readonly link?: OperationLink | undefined;
  /** The operation that undoes it; undefined if there is none. */
  readonly inverse: Operation | undefined;
}

const operationsByResource = new WeakMap<Resource, readonly Operation[]>();

/** Returns all operations of a resource, in the document's order. */
export function operations(resource: Resource): readonly Operation[] {
  const made = operationsByResource.get(resource) ?? [
    ...simpleOperations(resource),
    ...linkOperations(resource),
    ...actionOperations(resource),
  ];
  operationsByResource.set(resource, made);
  return made;
}

/** Returns the operation with this verb; undefined if the resource has none. */
export function operation(resource: Resource, verb: string): Operation | undefined {
  return operations(resource).find((candidate) => candidate.verb === verb);
}

/** Whether the operation changes anything at the service. */
export function isWrite({ effect }: Operation): boolean {
  return effect !== 'list' && effect !== 'get';
}

/**
 * Returns the scopes of which the sandbox requires any one: those of the document. If it shows none, the scopes of the
 * resource's update, because an account that can't change a record shouldn't delete it. If empty, signing in is enough.
 */
export function requiredScopes({ scopes, resource }: Operation): readonly Scope[] {
  return scopes.length > 0 || !resource.update ? scopes : scopesOf(resource.update);
}

/** What an operation is created from. */
type Spec = Pick<
  Operation,
  'resource' | 'verb' | 'effect' | 'method' | 'alternate' | 'path' | 'answer' | 'about' | 'done' | 'link'
> & {
  access: Access;
  /** The verb that undoes it. */
  undoneBy?: string | undefined;
  /** Evaluated on first use, because it needs the fields. */
  params?: () => readonly Param[];
  body?: () => readonly BodyField[];
};

function make({ access, undoneBy, params = none, body = none, ...rest }: Spec): Operation {
  const [madeParams, madeBody] = [lazy(params), lazy(body)];
  const { resource, verb } = rest;
  return {
    ...rest,
    command: resource.singleton ? resource.command : `${resource.command} ${verb}`,
    scopes: scopesOf(access),
    get params() {
      return madeParams();
    },
    get body() {
      return madeBody();
    },
    get inverse() {
      return undoneBy === undefined ? undefined : operation(resource, undoneBy);
    },
  };
}

function none(): [] {
  return [];
}

const simple = {
  list: { method: 'GET', answer: 'records', about: 'List', done: 'listed' },
  get: { method: 'GET', answer: 'record', about: 'Show one', done: 'shown' },
  create: { method: 'POST', answer: 'record', about: 'Add one', done: 'created', undoneBy: 'delete' },
  update: { method: 'PUT', answer: 'record', about: 'Change one', done: 'updated', undoneBy: 'update' },
  delete: { method: 'DELETE', answer: 'nothing', about: 'Delete', done: 'deleted', undoneBy: 'restore' },
  restore: {
    method: 'PUT',
    answer: 'nothing',
    about: 'Restore',
    done: 'restored',
    undoneBy: 'delete',
  },
} as const;

type SimpleEffect = keyof typeof simple;

function simpleOperations(resource: Resource): Operation[] {
  return (Object.keys(simple) as SimpleEffect[]).flatMap((effect) => {
    const access = resource[effect];
    if (!access) return [];
    const isOnCollection = effect === 'list' || effect === 'create' || resource.singleton === true;
    const path = isOnCollection ? resource.path : `${resource.path}/{${resource.param}}`;
    return make({
      resource,
      access,
      verb: effect,
      effect,
      ...simple[effect],
      path: effect === 'restore' ? `${path}/restore` : path,
      params: () => (isOnCollection ? [] : [ownParam(resource)]),
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
        ownParam(resource),
        { name: link.param, target: traits().target ?? '', exampleKey: link.exampleKey },
      ],
      link: { ...link, suffix },
    };
    const [set, remove] = [`link-${suffix}`, `unlink-${suffix}`];
    return [
      make({
        ...shared,
        verb: set,
        effect: 'link',
        method: 'POST',
        body: () => bodyFields(traits().pivot ?? {}, 'link'),
        answer: 'record',
        about: `Set ${link.about}`,
        done: 'linked',
        undoneBy: remove,
      }),
      make({
        ...shared,
        verb: remove,
        effect: 'unlink',
        method: 'DELETE',
        answer: 'nothing',
        about: `Remove ${link.about}`,
        done: 'unlinked',
        undoneBy: set,
      }),
    ];
  });
}

function actionOperations(resource: Resource): Operation[] {
  return Object.entries(resource.actions ?? {}).map(([verb, action]) =>
    make({
      resource,
      access: action,
      verb,
      effect: 'act',
      method: action.method,
      alternate: action.alternate,
      path: `${resource.path}/{${resource.param}}`,
      params: () => [ownParam(resource)],
      body: () => bodyFields(action.fields(), 'act'),
      answer: 'record',
      about: action.about,
      done: action.done,
    }),
  );
}

function ownParam({ param, name }: Resource): Param {
  return { name: param, target: name };
}

/** Returns the fields that a request may contain for each linked record: the writable fields of the pivot. */
export function linkFields({ traits: { pivot = {} } }: Field): readonly BodyField[] {
  return bodyFields(pivot, 'link');
}

/** Whether the field contains the lines of a document, such as a count: linked records with one number each. */
export function isLines({ traits }: Field): boolean {
  return traits.required === true && traits.amount !== undefined;
}

/** Returns the fields that a request may contain for each nested object. */
export function nestedFields({ traits: { fields = {} } }: Field): readonly BodyField[] {
  return bodyFields(fields, 'link');
}

/** Returns a field as a request could contain it, if no request of the contract does. */
export function plainBodyField(name: string, field: Field): BodyField {
  return { name, shown: name, field, isRequired: false, mustBeGiven: false };
}

/** Returns the fields that a request may contain; relations to one record have the name of their id: `category_id`. */
function bodyFields(fields: Fields, effect: Effect): BodyField[] {
  const fitting = effect === 'update' ? ['always', 'in_updates'] : ['always', 'at_creation'];
  return Object.entries(fields).flatMap(([shown, field]) => {
    const { written, required, defaultsToSignedInUser } = field.traits;
    if (written === undefined || !fitting.includes(written)) return [];
    const isRequired = required === true && effect !== 'update';
    const mustBeGiven = isRequired && !defaultsToSignedInUser;
    return [{ name: field.kind === 'one' ? `${shown}_id` : shown, shown, field, isRequired, mustBeGiven }];
  });
}
