/** The pictures that resources say they can be drawn as, as verbs of theirs: each loaded when a line names it. */
import type { Resource } from '../../contract/resource.ts';
import type { ResourceVerb } from '../hand-written.ts';

const pictureVerbs: readonly ResourceVerb[] = [
  {
    name: 'map',
    summary: ({ nouns }) => `Draw ${nouns} on a map: overlaps, gaps, and who holds a point`,
    isFor: ({ pictures }) => pictures?.map !== undefined,
    configure: async (command, resource, context) =>
      (await import('./map.ts')).configureMap(command, resource, context),
  },
  {
    name: 'week',
    summary: ({ nouns }) => `Draw a week of ${nouns}: what meets, and what never runs`,
    isFor: ({ pictures }) => pictures?.week !== undefined,
    configure: async (command, resource, context) =>
      (await import('./week.ts')).configureWeek(command, resource, context),
  },
  {
    name: 'costs',
    summary: ({ noun }) => `Draw what one ${noun} has cost over time`,
    isFor: ({ pictures }) => pictures?.costs !== undefined,
    configure: async (command, resource, context) =>
      (await import('./costs.ts')).configureCosts(command, resource, context),
  },
  {
    name: 'levels',
    summary: ({ nouns }) => `Draw ${nouns} as they were last counted against minimum, par and maximum`,
    isFor: ({ pictures }) => pictures?.levels !== undefined,
    configure: async (command, resource, context) =>
      (await import('./levels.ts')).configureLevels(command, resource, context),
  },
];

export function pictureVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return pictureVerbs.filter(({ isFor }) => isFor(resource));
}
