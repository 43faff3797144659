/** The order in which resources can be created, so that related records exist; derived from the relations. */
import type { Field, Fields } from './field.ts';
import { operations } from './operation.ts';
import type { Resource } from './resource.ts';

/** The part of an API that the order needs. */
interface Resources {
  readonly collections: readonly Resource[];
  resource(name: string): Resource | undefined;
}

/** A resource in the order of creation. */
export interface Dependency {
  resource: Resource;
  /**
   * Relations, named as in responses, to resources later in the order or to the same resource. They are written after
   * all records exist.
   */
  later: readonly string[];
}

/** How strongly a record needs a related one: required at creation, possible at creation, or only set afterwards. */
const needs = { required: 3, atCreation: 2, afterwards: 1 } as const;

interface Relation {
  field: string;
  target: string;
  need: number;
}

/**
 * Returns all collections, each after those that its records refer to. If two refer to each other, the one with the
 * weaker need comes first and has its relation in `later`. Otherwise the order of the API decides.
 */
export function dependencyOrder(api: Resources): readonly Dependency[] {
  const relations = new Map(api.collections.map((resource) => [resource, relationsOf(api, resource)]));
  const left = new Set(api.collections);
  const order: Dependency[] = [];
  while (left.size > 0) {
    const unmet = (resource: Resource) =>
      (relations.get(resource) ?? []).filter(
        ({ target }) => target !== resource.name && [...left].some(({ name }) => name === target),
      );
    const missed = (resource: Resource) => Math.max(0, ...unmet(resource).map(({ need }) => need));
    const [next] = [...left].sort((a, b) => missed(a) - missed(b));
    if (!next) break;
    const isLater = ({ target }: Relation) => [...left].some(({ name }) => name === target);
    const later = (relations.get(next) ?? []).filter(isLater).map(({ field }) => field);
    order.push({ resource: next, later: [...new Set(later)] });
    left.delete(next);
  }
  return order;
}

/** Whether the related record stores the link, so that it is enough to write it there. */
export function isKeptByOther(api: Pick<Resources, 'resource'>, { traits }: Field): boolean {
  const other = api.resource(traits.target ?? '')?.fields[traits.inverseOf ?? ''];
  return other?.traits.written !== undefined;
}

function relationsOf(api: Pick<Resources, 'resource'>, resource: Resource): Relation[] {
  const linked = operations(resource).flatMap(({ effect, link }) =>
    effect === 'link' && link ? [link.field] : [],
  );
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    const { written, required } = field.traits;
    if (written === undefined && !linked.includes(name)) return [];
    const isLate = written === undefined || written === 'in_updates';
    const need = required ? needs.required : isLate ? needs.afterwards : needs.atCreation;
    return targetsIn(api, { [name]: field }).map((target) => ({ field: name, target, need }));
  });
}

/** Returns the resources that a field refers to, also in nested objects. */
function targetsIn(api: Pick<Resources, 'resource'>, fields: Fields): string[] {
  return Object.values(fields).flatMap((field) => {
    const { target, fields: inner } = field.traits;
    if (inner) return targetsIn(api, inner);
    return target !== undefined && api.resource(target) && !isKeptByOther(api, field) ? [target] : [];
  });
}
