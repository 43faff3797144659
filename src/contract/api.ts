/** An API: its resources and the records it only names, with the questions that readers ask of the whole. */
import { type Dependency, dependencyOrder } from './dependency-order.ts';
import { lazy } from './lazy.ts';
import { type Operation, operations } from './operation.ts';
import { type Resource, resourceCalled } from './resource.ts';

/** Records that the API names by id but has no endpoints for. */
export interface Reference {
  /** As relations name it, in the API's words: `price_tags`. */
  name: string;
  /** In sentences: "price tag". */
  one: string;
  /** Whether people know one from another by a name, which answers may show beside the id. */
  isNamed?: true;
  /** An id that the demo business holds. */
  known: string;
}

export interface Api {
  /** Everything with an address, in the order people meet it, the account included. */
  readonly resources: readonly Resource[];
  /** Those of them that hold records with ids. */
  readonly collections: readonly Resource[];
  /** The one that says who is signed in and what the token allows; none where the API has none. */
  readonly account: Resource | undefined;
  readonly references: readonly Reference[];
  /** Every operation of every resource. */
  readonly operations: readonly Operation[];
  /** By the API's own name, as relations give it: `inventory_items`. */
  resource(name: string): Resource | undefined;
  /** As people may write it: the command, the singular, the alias, or the API's own name. */
  resourceCalled(word: string): Resource | undefined;
  reference(name: string): Reference | undefined;
  /** Of a resource: the natural keys by which the contract knows records of the demo business, its own `known` first. */
  knownKeys(name: string): readonly string[];
  /** The id, in the demo business, of a record that the contract knows; of a resource by another key than its first, too. */
  knownId(name: string, key?: string): string | undefined;
  /** One record of a resource or a reference, in sentences: "inventory item", "branch". */
  nounOf(name: string): string;
  /** Several of them: "inventory items". */
  nounsOf(name: string): string;
  /** The operation that a bare method and path (with or without a query) stand for; undefined where there is none. */
  operationAt(method: string, target: string): Operation | undefined;
  /** The collections in the order in which their records are made: each after what its records point at. */
  dependencyOrder(): readonly Dependency[];
}

export interface ApiDeclaration {
  resources: readonly Resource[];
  references?: readonly Reference[];
}

/** Brings resources together. Each of them can be part of one API at a time: the last that took it in. */
export function defineApi({ resources, references = [] }: ApiDeclaration): Api {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const all = lazy(() => resources.flatMap(operations));
  const reference = (name: string) => references.find((candidate) => candidate.name === name);
  const knownKeys = (name: string) => {
    const own = byName.get(name)?.known;
    const linked = all().flatMap(({ link, params }) => (link?.known === undefined ? [] : params));
    const others = linked.flatMap(({ target, known }) => (target === name && known ? [known] : []));
    return own === undefined ? [] : [...new Set([own, ...others])];
  };
  const api: Api = {
    resources,
    collections: resources.filter(({ singleton }) => !singleton),
    account: resources.find(({ singleton }) => singleton),
    references,
    get operations() {
      return all();
    },
    resource: (name) => byName.get(name),
    resourceCalled: (word) => resourceCalled(word, resources),
    reference,
    knownKeys,
    knownId: (name, key) => {
      const resource = byName.get(name);
      if (!resource) return reference(name)?.known;
      const place = key === undefined ? 0 : knownKeys(name).indexOf(key);
      return place > 0 ? `${resource.one}-${place + 1}` : resource.knownId;
    },
    nounOf: (name) => byName.get(name)?.noun ?? reference(name)?.one ?? name.replaceAll('_', ' '),
    nounsOf: (name) => byName.get(name)?.nouns ?? name.replaceAll('_', ' '),
    operationAt: (method, target) => operationAt(all(), method, target),
    dependencyOrder: lazy(() => dependencyOrder(api)),
  };
  for (const resource of resources) homes.set(resource, api);
  return api;
}

const homes = new WeakMap<Resource, Api>();

/** The API that a resource is a part of. Throws before `defineApi` has taken it in. */
export function apiOf(resource: Resource): Api {
  const api = homes.get(resource);
  if (!api) throw new Error(`${resource.name} is part of no API`);
  return api;
}

function operationAt(all: readonly Operation[], method: string, target: string): Operation | undefined {
  const [path = '', query = ''] = target.split('?');
  const names = new URLSearchParams(query);
  const here = all.filter((operation) => isAt(operation, path));
  const takes = (operation: Operation) => operation.body.every(({ name }) => names.has(name));
  // An action shares its address with the reading of the record: what its query gives tells them apart.
  const acts = here.find((it) => it.effect === 'act' && it.method === method && takes(it));
  return (
    acts ?? here.find((it) => it.method === method) ?? here.find(({ alternate }) => alternate === method)
  );
}

function isAt({ path }: Operation, given: string): boolean {
  const [expected, parts] = [path.split('/'), given.replace(/\/+$/, '').split('/')];
  return (
    expected.length === parts.length &&
    expected.every((part, at) => part.startsWith('{') || part === parts[at])
  );
}
