/** In which order records are made, so that those they point at are there: found out from the relations alone. */
import type { Field, Fields } from './field.ts';
import { operations } from './operation.ts';
import type { Resource } from './resource.ts';

/** As much of an API as this needs. */
interface Resources {
  readonly collections: readonly Resource[];
  resource(name: string): Resource | undefined;
}

export interface Dependency {
  resource: Resource;
  /**
   * Relations, by the names of answers, to records that come later in the order or are of the same resource: they are
   * written once all of them are there.
   */
  later: readonly string[];
}

/** How much a record needs another one, the most first: it can’t be made without it, is made with it, is given it later. */
const needs = { required: 3, atCreation: 2, afterwards: 1 } as const;

interface Pointing {
  field: string;
  target: string;
  need: number;
}

/**
 * Every resource that holds records, each after those that its records point at. Where they point at each other, the
 * one that can do without comes first, and has its relation in `later`; the order of the API decides the rest.
 */
export function dependencyOrder(api: Resources): readonly Dependency[] {
  const pointings = new Map(api.collections.map((resource) => [resource, pointingsOf(api, resource)]));
  const left = new Set(api.collections);
  const order: Dependency[] = [];
  while (left.size > 0) {
    const unmet = (resource: Resource) =>
      (pointings.get(resource) ?? []).filter(
        ({ target }) => target !== resource.name && [...left].some(({ name }) => name === target),
      );
    const missed = (resource: Resource) => Math.max(0, ...unmet(resource).map(({ need }) => need));
    const [next] = [...left].sort((a, b) => missed(a) - missed(b));
    if (!next) break;
    const isLater = ({ target }: Pointing) => [...left].some(({ name }) => name === target);
    const later = (pointings.get(next) ?? []).filter(isLater).map(({ field }) => field);
    order.push({ resource: next, later: [...new Set(later)] });
    left.delete(next);
  }
  return order;
}

/** Whether the link stands in the record at the other end, so that writing it there is enough. */
export function isKeptByOther(api: Pick<Resources, 'resource'>, { traits }: Field): boolean {
  const other = api.resource(traits.target ?? '')?.fields[traits.inverseOf ?? ''];
  return other?.traits.written !== undefined;
}

function pointingsOf(api: Pick<Resources, 'resource'>, resource: Resource): Pointing[] {
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

/** The resources that a field points at, in nested objects as well. */
function targetsIn(api: Pick<Resources, 'resource'>, fields: Fields): string[] {
  return Object.values(fields).flatMap((field) => {
    const { target, fields: inner } = field.traits;
    if (inner) return targetsIn(api, inner);
    return target !== undefined && api.resource(target) && !isKeptByOther(api, field) ? [target] : [];
  });
}
