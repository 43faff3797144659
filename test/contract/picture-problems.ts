/** Checks that the pictures of a resource refer to existing fields. */
import type { Fields } from '../../src/contract/field.ts';
import type { PictureLines, Pictures } from '../../src/contract/pictures.ts';
import type { Resource } from '../../src/contract/resource.ts';

/** Returns the problems of the pictures of a resource; empty if there are none. */
export function pictureProblems(resource: Resource, resources: readonly Resource[]): string[] {
  const { map, week, costs, levels } = resource.pictures ?? {};
  return [
    ...(map ? missing('the map', [map.border, map.branches, map.code], resource.fields) : []),
    ...(week ? missing('the week', weekFields(week), resource.fields) : []),
    ...(costs
      ? [
          ...missing('the cost history', [costs.currentCost, costs.unit], resource.fields),
          ...lineProblems('the cost history', costs, [costs.previousCost], resources),
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
  const { days, sharedScope, appliesTo, ...single } = week;
  return [...Object.values(days), ...sharedScope, ...appliesTo, ...Object.values(single)];
}

function lineProblems(
  picture: string,
  { documents, lines, number, day, branch, final }: PictureLines,
  more: readonly string[],
  resources: readonly Resource[],
): string[] {
  const other = resources.find(({ name }) => name === documents);
  if (!other?.list) return [`${picture} needs a list of ${documents}, which doesn't exist`];
  const words = other.fields[final.field]?.traits.words ?? {};
  return [
    ...missing(picture, [lines, day, branch, final.field], other.fields),
    ...missing(picture, [number, ...more], other.fields[lines]?.traits.pivot ?? {}),
    ...(Object.hasOwn(words, final.word)
      ? []
      : [`${picture} needs ${final.field} ${final.word}, which isn't a value of it`]),
  ];
}

function missing(picture: string, names: readonly string[], fields: Fields): string[] {
  return names
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${picture} uses ${name}, which isn't a field`);
}
