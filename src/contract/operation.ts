/** The operations of a resource, derived from its declaration: what is called, with which scope and body. */
import type { Field } from './field.ts';
import type { Resource } from './resource.ts';
import { bodyField, scopesOf } from './resource.ts';
import type { Scope } from './scope.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a call does, whatever it is named: reads, or one of the ways to write. */
export type Effect = 'list' | 'get' | 'create' | 'update' | 'delete' | 'restore' | 'link' | 'unlink' | 'act';

export interface BodyField {
  /** The name in the request: `category_id`, `tags`. */
  name: string;
  field: Field;
}

export interface Operation {
  resource: Resource;
  /** The word on the command line: `list`, `link-ingredient`. */
  verb: string;
  effect: Effect;
  method: Method;
  /** With the document's parameter names: `/suppliers/{supplierId}/items/{inventoryItemId}`. */
  path: string;
  /** The resource or reference that each id in the path names, in order. */
  params: readonly { name: string; target: string; known?: string | undefined }[];
  /** Any one of these is enough; empty where the document shows none. */
  scopes: readonly Scope[];
  /** What the request's body (or query, for a GET) may hold, in the document's order. */
  body: readonly BodyField[];
  /** What a success answers. Deletes and restores promise no body. */
  answer: 'record' | 'records' | 'nothing';
  /** One sentence for help and reference. */
  about: string;
}

/** All operations of a resource, in the document's order. */
export function operations(resource: Resource): Operation[] {
  return [...simpleOperations(resource), ...linkOperations(resource), ...actionOperations(resource)];
}

export function operation(resource: Resource, verb: string): Operation | undefined {
  return operations(resource).find((candidate) => candidate.verb === verb);
}

/** Whether it changes anything at the service. */
export function isWrite({ effect }: Operation): boolean {
  return effect !== 'list' && effect !== 'get';
}

const simple = {
  list: { method: 'GET', answer: 'records', about: 'List' },
  get: { method: 'GET', answer: 'record', about: 'Show one' },
  create: { method: 'POST', answer: 'record', about: 'Add one' },
  update: { method: 'PUT', answer: 'record', about: 'Change one' },
  delete: { method: 'DELETE', answer: 'nothing', about: 'Delete' },
  restore: { method: 'PUT', answer: 'nothing', about: 'Bring back what was deleted' },
} as const;

type SimpleEffect = keyof typeof simple;

function simpleOperations(resource: Resource): Operation[] {
  const effects = (Object.keys(simple) as SimpleEffect[]).filter((effect) => resource[effect]);
  return effects.map((effect) => {
    const access = resource[effect];
    const isOnCollection = effect === 'list' || effect === 'create' || resource.singleton === true;
    const path = isOnCollection ? resource.path : `${resource.path}/{${resource.param}}`;
    return {
      resource,
      verb: effect,
      effect,
      ...simple[effect],
      path: effect === 'restore' ? `${path}/restore` : path,
      params: isOnCollection ? [] : [{ name: resource.param, target: resource.name }],
      scopes: access ? scopesOf(access) : [],
      body: access && 'body' in access ? bodyFields(resource.fields, access.body) : [],
    };
  });
}

function linkOperations(resource: Resource): Operation[] {
  return Object.entries(resource.links ?? {}).flatMap(([suffix, link]) => {
    const { target = '', pivot = {} } = resource.fields[link.field]?.traits ?? {};
    const shared = {
      resource,
      path: `${resource.path}/{${resource.param}}/${link.field}/{${link.param}}`,
      params: [
        { name: resource.param, target: resource.name },
        { name: link.param, target, known: link.known },
      ],
      scopes: scopesOf(link),
    };
    return [
      {
        ...shared,
        verb: `link-${suffix}`,
        effect: 'link' as const,
        method: 'POST' as const,
        body: bodyFields(pivot, link.body),
        answer: 'record' as const,
        about: `Set ${link.about}`,
      },
      {
        ...shared,
        verb: `unlink-${suffix}`,
        effect: 'unlink' as const,
        method: 'DELETE' as const,
        body: [],
        answer: 'nothing' as const,
        about: `Remove ${link.about}`,
      },
    ];
  });
}

function actionOperations(resource: Resource): Operation[] {
  return Object.entries(resource.actions ?? {}).map(([verb, action]) => ({
    resource,
    verb,
    effect: 'act',
    method: action.method,
    path: `${resource.path}/{${resource.param}}`,
    params: [{ name: resource.param, target: resource.name }],
    scopes: scopesOf(action),
    body: bodyFields(resource.fields, action.body),
    answer: 'record',
    about: action.about,
  }));
}

function bodyFields(fields: Resource['fields'], names: readonly string[]): BodyField[] {
  return names.flatMap((name) => {
    const field = bodyField(fields, name);
    return field ? [{ name, field }] : [];
  });
}
