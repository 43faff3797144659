/** Orders resources so that related records exist before the records that refer to them. */
import type { Field, Fields } from './field.ts';
import { operations } from './operation.ts';
import type { Resource } from './resource.ts';

/** The part of an API that is needed to compute the order. */
interface ResourceLookup {
  readonly collections: readonly Resource[];
  resource(name: string): Resource | undefined;
}

/** A resource in the order of creation. */
export interface Dependency {
  resource: Resource;
  /**
   * The relations, named as in responses, to resources later in the order or to the same resource. They are written
   * after all records are created.
   */
  deferredRelations: readonly string[];
}

/** When a record needs its related record: required at creation, possible at creation, or set only afterwards. */
const needLevels = { required: 3, atCreation: 2, afterwards: 1 } as const;

interface Relation {
  field: string;
  target: string;
  need: number;
}

/**
 * Returns all collections, each after the collections that its records refer to. If two collections refer to each other,
 * the collection with the weaker need is first, and its relation is in `deferredRelations`. Otherwise the order of the API
 * is kept.
 */
export function dependencyOrder(api: ResourceLookup): readonly Dependency[] {
  const relations = new Map(api.collections.map((resource) => [resource, relationsOf(api, resource)]));
  const remainingResources = new Set(api.collections);
  const order: Dependency[] = [];
  while (remainingResources.size > 0) {
    const unmetRelations = (resource: Resource) =>
      (relations.get(resource) ?? []).filter(
        ({ target }) =>
          target !== resource.name && [...remainingResources].some(({ name }) => name === target),
      );
    const strongestNeed = (resource: Resource) =>
      Math.max(0, ...unmetRelations(resource).map(({ need }) => need));
    const [next] = [...remainingResources].sort((a, b) => strongestNeed(a) - strongestNeed(b));
    if (!next) break;
    const isDeferred = ({ target }: Relation) => [...remainingResources].some(({ name }) => name === target);
    const deferredFields = (relations.get(next) ?? []).filter(isDeferred).map(({ field }) => field);
    order.push({ resource: next, deferredRelations: [...new Set(deferredFields)] });
    remainingResources.delete(next);
  }
  return order;
}

/** Returns whether the related record stores the link. If so, the link is written only there. */
export function isStoredByTarget(api: Pick<ResourceLookup, 'resource'>, { traits }: Field): boolean {
  const storedField = api.resource(traits.target ?? '')?.fields[traits.inverseOf ?? ''];
  return storedField?.traits.writable !== undefined;
}

function relationsOf(api: Pick<ResourceLookup, 'resource'>, resource: Resource): Relation[] {
  const linkFields = operations(resource).flatMap(({ effect, link }) =>
    effect === 'link' && link ? [link.field] : [],
  );
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    const { writable, required } = field.traits;
    if (writable === undefined && !linkFields.includes(name)) return [];
    const isSetAfterwards = writable === undefined || writable === 'in_updates';
    const need = required
      ? needLevels.required
      : isSetAfterwards
        ? needLevels.afterwards
        : needLevels.atCreation;
    return targetsIn(api, { [name]: field }).map((target) => ({ field: name, target, need }));
  });
}

/** Returns the resources that fields and their nested fields refer to. */
function targetsIn(api: Pick<ResourceLookup, 'resource'>, fields: Fields): string[] {
  return Object.values(fields).flatMap((field) => {
    const { target, fields: inner } = field.traits;
    if (inner) return targetsIn(api, inner);
    return target !== undefined && api.resource(target) && !isStoredByTarget(api, field) ? [target] : [];
  });
}
