/** Checks that the pictures of a resource refer to existing fields. */
import type { Fields } from '../../src/contract/field.ts';
import type { Lines, Pictures } from '../../src/contract/picture.ts';
import type { Resource } from '../../src/contract/resource.ts';

/** Returns the problems of the pictures of a resource; empty if there are none. */
export function pictureProblems(resource: Resource, resources: readonly Resource[]): string[] {
  const { map, week, costs, levels } = resource.pictures ?? {};
  return [
    ...(map ? missing('the map', [map.border, map.branches, map.code], resource.fields) : []),
    ...(week ? missing('the week', weekFields(week), resource.fields) : []),
    ...(costs
      ? [
          ...missing('the cost history', [costs.now, costs.unit], resource.fields),
          ...lineProblems('the cost history', costs, [costs.before], resources),
        ]
      : []),
    ...(levels
      ? [
          ...missing(
            'the stock levels',
            [levels.minimum, levels.par, levels.maximum, levels.unit, levels.branches, levels.code],
            resource.fields,
          ),
          ...lineProblems('the stock levels', levels, [], resources),
        ]
      : []),
  ];
}

function weekFields(week: NonNullable<Pictures['week']>): string[] {
  const { days, within, on, ...single } = week;
  return [...Object.values(days), ...within, ...on, ...Object.values(single)];
}

function lineProblems(
  picture: string,
  { documents, lines, number, day, place, done }: Lines,
  more: readonly string[],
  resources: readonly Resource[],
): string[] {
  const other = resources.find(({ name }) => name === documents);
  if (!other?.list) return [`${picture} needs a list of ${documents}, which doesn't exist`];
  const words = other.fields[done.field]?.traits.words ?? {};
  return [
    ...missing(picture, [lines, day, place, done.field], other.fields),
    ...missing(picture, [number, ...more], other.fields[lines]?.traits.pivot ?? {}),
    ...(Object.hasOwn(words, done.is)
      ? []
      : [`${picture} needs ${done.field} ${done.is}, which isn't a value of it`]),
  ];
}

function missing(picture: string, names: readonly string[], fields: Fields): string[] {
  return names
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${picture} uses ${name}, which isn't a field`);
}
