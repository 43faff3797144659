/** Defines an API: its resources, the records that it only refers to, and lookups over all of them. */

import { once } from '../../base/once.ts';
import { type Dependency, dependencyOrder } from './dependency-order.ts';
import { type Operation, operations } from './operation.ts';
import { findResource, type Resource } from './resource.ts';

/** A kind of record that the API refers to by id and has no endpoints for. */
export interface Reference {
  /** The API's name, as in relations: `price_tags`. */
  name: string;
  /** The singular for sentences: "price tag". */
  one: string;
  /** Whether the records have names, which responses may contain in addition to the id. */
  isNamed?: true;
  /** The id of a record in the demo business. */
  exampleId: string;
}

/** All resources of an API, with lookups by name and by path. */
export interface Api {
  /** All resources in display order, including the account. */
  readonly resources: readonly Resource[];
  /** The resources whose records have ids. */
  readonly collections: readonly Resource[];
  /** The resource that describes the signed-in user and the scopes of the token; undefined if the API has none. */
  readonly account: Resource | undefined;
  readonly references: readonly Reference[];
  /** The API that this one extends for a deployment. */
  readonly base: Api | undefined;
  /** Every operation of every resource. */
  readonly operations: readonly Operation[];
  /** Returns the resource of the API document with this API name, for example `inventory_items`. */
  resource(name: string): Resource | undefined;
  /** Returns the resource outside the API document that lists the records of this reference. */
  listOfReference(name: string): Resource | undefined;
  /** Returns the resource that a word from the command line names: its command, singular, alias or API name. */
  findResource(word: string): Resource | undefined;
  /** Returns the reference with this API name. */
  reference(name: string): Reference | undefined;
  /** Returns the natural keys of a resource's example records in the demo business, starting with its `exampleKey`. */
  exampleKeys(name: string): readonly string[];
  /** Returns the id of an example record in the demo business; `key` selects another one of `exampleKeys`. */
  exampleId(name: string, key?: string): string | undefined;
  /** Returns the singular of a resource or a reference for sentences: "inventory item", "branch". */
  nounOf(name: string): string;
  /** Returns the plural: "inventory items". */
  nounsOf(name: string): string;
  /** Returns the operation for a method and a path, with or without a query; undefined for a path outside the contract. */
  findOperation(method: string, target: string): Operation | undefined;
  /** Returns the collections in the order in which their records can be created: each after those that it refers to. */
  dependencyOrder(): readonly Dependency[];
}

/** The declaration of an API for `defineApi`. */
export interface ApiDeclaration {
  resources: readonly Resource[];
  references?: readonly Reference[];
  base?: Api;
}

/** Creates an API from its resources. If several APIs are created with a resource, it belongs to the last one. */
export function defineApi({ resources, references = [], base }: ApiDeclaration): Api {
  // Relations to records outside the API document stay references, whether a service lists these records or not.
  const [documented = [], undocumented = []] = [false, true].map((is) =>
    resources.filter((resource) => (resource.undocumented ?? false) === is),
  );
  const byName = new Map(documented.map((resource) => [resource.name, resource]));
  const allOperations = once(() => resources.flatMap(operations));
  const reference = (name: string) => references.find((candidate) => candidate.name === name);
  const exampleKeys = (name: string) => {
    const ownKey = byName.get(name)?.exampleKey;
    const linkParams = allOperations().flatMap(({ link, params }) =>
      link?.exampleKey === undefined ? [] : params,
    );
    const linkedKeys = linkParams.flatMap(({ target, exampleKey }) =>
      target === name && exampleKey ? [exampleKey] : [],
    );
    return ownKey === undefined ? [] : [...new Set([ownKey, ...linkedKeys])];
  };
  const api: Api = {
    resources,
    collections: resources.filter(({ singleton }) => !singleton),
    account: resources.find(({ singleton }) => singleton),
    references,
    base,
    get operations() {
      return allOperations();
    },
    resource: (name) => byName.get(name),
    listOfReference: (name) => undocumented.find((resource) => resource.name === name),
    findResource: (word) => findResource(word, resources),
    reference,
    exampleKeys,
    exampleId: (name, key) => {
      const resource = byName.get(name);
      if (!resource) return reference(name)?.exampleId;
      const index = key === undefined ? 0 : exampleKeys(name).indexOf(key);
      return index > 0 ? `${resource.one}-${index + 1}` : resource.exampleId;
    },
    nounOf: (name) => byName.get(name)?.noun ?? reference(name)?.one ?? name.replaceAll('_', ' '),
    nounsOf: (name) => byName.get(name)?.nouns ?? name.replaceAll('_', ' '),
    findOperation: (method, target) => findOperation(allOperations(), method, target),
    dependencyOrder: once(() => dependencyOrder(api)),
  };
  for (const resource of resources) apiByResource.set(resource, api);
  return api;
}

const apiByResource = new WeakMap<Resource, Api>();

/** Returns the API that a resource belongs to. Throws if `defineApi` wasn't called with it. */
export function apiOf(resource: Resource): Api {
  const api = apiByResource.get(resource);
  if (!api) throw new Error(`${resource.name} isn't part of an API`);
  return api;
}

function findOperation(
  allOperations: readonly Operation[],
  method: string,
  target: string,
): Operation | undefined {
  const [path = '', query = ''] = target.split('?');
  const names = new URLSearchParams(query);
  const candidates = allOperations.filter((operation) => matchesPath(operation, path));
  const hasParameters = (operation: Operation) => operation.body.every(({ name }) => names.has(name));
  // An action has the same path as the get of the record; only an action's query has its parameters.
  const action = candidates.find(
    (candidate) => candidate.effect === 'act' && candidate.method === method && hasParameters(candidate),
  );
  return (
    action ??
    candidates.find((candidate) => candidate.method === method) ??
    candidates.find(({ alternate }) => alternate === method)
  );
}

function matchesPath({ path }: Operation, requestPath: string): boolean {
  const [expectedParts, actualParts] = [path.split('/'), requestPath.replace(/\/+$/, '').split('/')];
  return (
    expectedParts.length === actualParts.length &&
    expectedParts.every((part, index) => part.startsWith('{') || part === actualParts[index])
  );
}
