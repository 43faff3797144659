/** The operations of a resource, derived from its declaration: what is called, with which scope and body. */
import type { Field, Fields, Traits } from './field.ts';
import { lazy } from './lazy.ts';
import type { Access, Link, Resource } from './resource.ts';
import { scopesOf } from './resource.ts';
import type { Scope } from './scope.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a call does, whatever it is named: reads, or one of the ways to write. */
export type Effect = 'list' | 'get' | 'create' | 'update' | 'delete' | 'restore' | 'link' | 'unlink' | 'act';

export interface BodyField {
  /** The name in the request: `category_id`, `tags`. */
  name: string;
  /** The name in answers: `category`, `tags`. */
  shown: string;
  field: Field;
  /** The service refuses the request without it. An update changes what it is given, so nothing is required of it. */
  isRequired: boolean;
  /** Whoever makes the request has to give it: it is required, and nothing stands in for it. */
  mustBeGiven: boolean;
}

/** An id in the path of an operation. */
export interface Param {
  /** The document's word: `supplierId`. */
  name: string;
  /** The resource or reference that it names a record of. */
  target: string;
  /** See `Link.known`. */
  known?: string | undefined;
}

/** Which link an operation sets or removes. */
export interface OperationLink extends Link {
  /** What tells it from other links of the resource: `ingredient` of `link-ingredient`. */
  suffix: string;
}

export interface Operation {
  readonly resource: Resource;
  /** The word on the command line: `list`, `link-ingredient`. */
  readonly verb: string;
  /** As a whole command: `suppliers link-item`, `whoami`. */
  readonly command: string;
  readonly effect: Effect;
  readonly method: Method;
  /** The method that some deployments take in its place. */
  readonly alternate?: Method | undefined;
  /** With the document's parameter names: `/suppliers/{supplierId}/items/{inventoryItemId}`. */
  readonly path: string;
  /** One for each id in the path, in order. */
  readonly params: readonly Param[];
  /** Any one of these is enough; empty where the document shows none. */
  readonly scopes: readonly Scope[];
  /** What the request's body (or query, for a GET) may hold, in the order of the fields. */
  readonly body: readonly BodyField[];
  /** What a success answers. Deletes and restores promise no body. */
  readonly answer: 'record' | 'records' | 'nothing';
  /** One sentence for help and reference. */
  readonly about: string;
  /** What has been done once it has succeeded: "created", "linked". */
  readonly done: string;
  /** For `link` and `unlink`. */
  readonly link?: OperationLink | undefined;
  /** The operation that takes it back; none where nothing does. */
  readonly inverse: Operation | undefined;
}

const known = new WeakMap<Resource, readonly Operation[]>();

/** All operations of a resource, in the document's order. */
export function operations(resource: Resource): readonly Operation[] {
  const made = known.get(resource) ?? [
    ...simpleOperations(resource),
    ...linkOperations(resource),
    ...actionOperations(resource),
  ];
  known.set(resource, made);
  return made;
}

export function operation(resource: Resource, verb: string): Operation | undefined {
  return operations(resource).find((candidate) => candidate.verb === verb);
}

/** Whether it changes anything at the service. */
export function isWrite({ effect }: Operation): boolean {
  return effect !== 'list' && effect !== 'get';
}

/**
 * The scopes of which the sandbox demands any one: those of the document. Where it shows none, those of the resource's
 * update hold, since who may not change a record shouldn't delete it; empty where there is no update: then being signed
 * in is enough.
 */
export function demandedScopes({ scopes, resource }: Operation): readonly Scope[] {
  return scopes.length > 0 || !resource.update ? scopes : scopesOf(resource.update);
}

/** The declared part of an operation; the rest follows from it. */
type Spec = Pick<
  Operation,
  'resource' | 'verb' | 'effect' | 'method' | 'alternate' | 'path' | 'answer' | 'about' | 'done' | 'link'
> & {
  access: Access;
  /** The verb that takes it back. */
  undoneBy?: string | undefined;
  /** Called when first asked for: it needs the fields. */
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
    about: 'Bring back what was deleted',
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
        { name: link.param, target: traits().target ?? '', known: link.known },
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

/** What a request may give beside the id of each linked record: the writable fields of the pivot. */
export function linkFields({ traits: { pivot = {} } }: Field): readonly BodyField[] {
  return bodyFields(pivot, 'link');
}

/** Whether it is a list of records with one number each that a record is made of: the lines of a count, of an order. */
export function isLines({ traits }: Field): boolean {
  return traits.required === true && traits.amount !== undefined;
}

/** What a request may give of each nested object: its writable fields. */
export function nestedFields({ traits: { fields = {} } }: Field): readonly BodyField[] {
  return bodyFields(fields, 'link');
}

/** The fields that a request may give, relations to one record under their id's name: `category_id`. */
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
