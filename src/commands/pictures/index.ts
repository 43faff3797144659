/** Defines the verbs that draw pictures, such as `timed-events week`. Each is loaded when a command line names it. */
import { apiOf } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import type { ResourceVerb } from '../hand-written.ts';

const pictureVerbs: readonly ResourceVerb[] = [
  {
    name: 'map',
    summary: ({ nouns }) => `Show ${nouns} on a map, with overlaps and gaps`,
    hintAfterWrite: 'To show it on the map',
    isFor: ({ pictures }) => pictures?.map !== undefined,
    configure: async (command, resource, context) =>
      (await import('./map.ts')).configureMap(command, resource, context),
  },
  {
    name: 'week',
    summary: ({ nouns }) => `Show ${nouns} in a week, with conflicts`,
    hintAfterWrite: 'To show it in the week',
    isFor: ({ pictures }) => pictures?.week !== undefined,
    configure: async (command, resource, context) =>
      (await import('./week.ts')).configureWeek(command, resource, context),
  },
  {
    name: 'costs',
    summary: ({ noun }) => `Show the cost of one ${noun} over time`,
    isFor: ({ pictures }) => pictures?.costs !== undefined,
    configure: async (command, resource, context) =>
      (await import('./costs.ts')).configureCosts(command, resource, context),
  },
  {
    name: 'levels',
    summary: ({ nouns }) => `Show the last counted quantity of ${nouns}, and minimum, par and maximum`,
    isFor: ({ pictures }) => pictures?.levels !== undefined,
    configure: async (command, resource, context) =>
      (await import('./levels.ts')).configureLevels(command, resource, context),
  },
];

/** Returns a hint and a command line for each picture that a written record of the resource changes. */
export function picturesAfterWrite(resource: Resource): [hint: string, line: string][] {
  const resourcePictures = pictureVerbsOf(resource).flatMap(({ name, hintAfterWrite }): [string, string][] =>
    hintAfterWrite === undefined ? [] : [[hintAfterWrite, `${resource.command} ${name}`]],
  );
  const documentPictures = apiOf(resource).resources.flatMap(
    ({ command, noun, pictures }): [string, string][] => [
      ...(pictures?.levels?.documents === resource.name
        ? [['To show stock levels', `${command} levels`] satisfies [string, string]]
        : []),
      ...(pictures?.costs?.documents === resource.name
        ? [[`To show the cost of one ${noun} over time`, `${command} costs ID`] satisfies [string, string]]
        : []),
    ],
  );
  return [...resourcePictures, ...documentPictures];
}

/** Returns the picture verbs of a resource. */
export function pictureVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return pictureVerbs.filter(({ isFor }) => isFor(resource));
}
