/** Pictures held against the fields that they are drawn from. */
import type { Fields } from './field.ts';
import type { Lines, Pictures } from './picture.ts';
import type { Resource } from './resource.ts';

/** What is wrong with the pictures of a resource. */
export function pictureProblems(resource: Resource, resources: readonly Resource[]): string[] {
  const { map, week, costs, levels } = resource.pictures ?? {};
  return [
    ...(map ? missing('the map', [map.border, map.branches, map.code], resource.fields) : []),
    ...(week ? missing('the week', weekFields(week), resource.fields) : []),
    ...(costs
      ? [
          ...missing('the history of costs', [costs.now, costs.unit], resource.fields),
          ...lineProblems('the history of costs', costs, [costs.before], resources),
        ]
      : []),
    ...(levels
      ? [
          ...missing(
            'the picture of levels',
            [levels.minimum, levels.par, levels.maximum, levels.unit, levels.branches, levels.code],
            resource.fields,
          ),
          ...lineProblems('the picture of levels', levels, [], resources),
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
  if (!other?.list) return [`${picture} needs a list of ${documents}, which is not there`];
  const words = other.fields[done.field]?.traits.words ?? {};
  return [
    ...missing(picture, [lines, day, place, done.field], other.fields),
    ...missing(picture, [number, ...more], other.fields[lines]?.traits.pivot ?? {}),
    ...(Object.hasOwn(words, done.is)
      ? []
      : [`${picture} waits for ${done.field} ${done.is}, which it never is`]),
  ];
}

function missing(picture: string, names: readonly string[], fields: Fields): string[] {
  return names
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${picture} is drawn from ${name}, which is no field`);
}
