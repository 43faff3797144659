/** Checks that the pictures of a resource use existing fields. */
import type { Fields } from '../../src/api/contract/field.ts';
import type { PictureLines, Pictures } from '../../src/api/contract/pictures.ts';
import type { Resource } from '../../src/api/contract/resource.ts';

/** Returns the problems of the pictures of a resource; empty if there are none. */
export function pictureProblems(resource: Resource, resources: readonly Resource[]): string[] {
  const { map, week, costs, levels, variance } = resource.pictures ?? {};
  return [
    ...(map ? missingFields('the map', [map.border, map.branches, map.code], resource.fields) : []),
    ...(week ? missingFields('the week', weekFields(week), resource.fields) : []),
    ...(costs
      ? [
          ...missingFields('the cost history', [costs.currentCost, costs.unit], resource.fields),
          ...(costs.recipes
            ? missingFields('the recipes', [costs.recipes.ingredients], resource.fields)
            : []),
          ...lineProblems('the cost history', costs, [costs.previousCost], resources),
        ]
      : []),
    ...(variance
      ? missingFields('the variance', [variance.lines, variance.day, variance.branch], resource.fields)
      : []),
    ...(variance
      ? missingFields(
          'the variance',
          [variance.quantity, variance.money, variance.percent],
          resource.fields[variance.lines]?.traits.pivot ?? {},
        )
      : []),
    ...(levels
      ? [
          ...missingFields(
            'the stock levels',
            [levels.minimum, levels.par, levels.maximum, levels.unit, levels.branches, levels.code],
            resource.fields,
          ),
          ...lineProblems('the stock levels', levels, [], resources),
          ...(levels.order
            ? missingFields(
                'the orders',
                Object.values(levels.order).slice(1),
                resource.fields[levels.order.suppliers]?.traits.pivot ?? {},
              )
            : []),
        ]
      : []),
  ];
}

function weekFields(week: NonNullable<Pictures['week']>): string[] {
  const { days, sharedScope, appliesTo, ...otherFields } = week;
  return [...Object.values(days), ...sharedScope, ...appliesTo, ...Object.values(otherFields)];
}

function lineProblems(
  picture: string,
  { documents, lines, number, day, branch, final }: PictureLines,
  extraFields: readonly string[],
  resources: readonly Resource[],
): string[] {
  const documentResource = resources.find(({ name }) => name === documents);
  if (!documentResource?.list) return [`${picture} needs a list of ${documents}, which doesn't exist`];
  const words = documentResource.fields[final.field]?.traits.words ?? {};
  return [
    ...missingFields(picture, [lines, day, branch, final.field], documentResource.fields),
    ...missingFields(picture, [number, ...extraFields], documentResource.fields[lines]?.traits.pivot ?? {}),
    ...(Object.hasOwn(words, final.word)
      ? []
      : [`${picture} needs ${final.field} ${final.word}, which isn't a value of it`]),
  ];
}

function missingFields(picture: string, names: readonly string[], fields: Fields): string[] {
  return names
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${picture} uses ${name}, which isn't a field`);
}
