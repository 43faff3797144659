/** What a contract says of records that are compared with the latest before them, looked up and held against itself. */
import type { Earlier } from './earlier.ts';
import type { Fields } from './field.ts';
import type { Filter } from './filter.ts';

/** The filter that finds records with the same other record. */
export function filterOnSame(filters: readonly Filter[], { same }: Earlier): Filter | undefined {
  return filters.find(({ on, match }) => on === same && match === 'equals');
}

export function earlierProblems(
  path: string,
  earlier: Earlier,
  { fields, filters }: { fields: Fields; filters: readonly Filter[] },
  target: Fields,
): string[] {
  const { day, difference, filters: own = {} } = earlier;
  const names = [earlier.same, day, ...(difference ? [difference.when] : [])];
  return [
    ...names
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${path} is compared by ${name}, which is not there`),
    ...(filterOnSame(filters, earlier) ? [] : [`${path} is compared by ${earlier.same}, which is no filter`]),
    ...Object.keys(own)
      .filter((name) => !filters.some((filter) => filter.name === name))
      .map((name) => `${path} is compared by ${name}, which is no filter`),
    ...(difference && !Object.hasOwn(target, difference.cost)
      ? [`${path} costs ${difference.cost}, which is not there`]
      : []),
  ];
}
