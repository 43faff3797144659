/** The pictures that resources say they can be drawn as, as verbs of theirs: each loaded when a line names it. */
import type { Resource } from '../../contract/resource.ts';
import type { ResourceVerb } from '../resource-verb.ts';

export const pictureVerbs: readonly ResourceVerb[] = [
  {
    name: 'map',
    summary: ({ nouns }) => `Draw ${nouns} on a map: overlaps, gaps, and who holds a point`,
    isFor: ({ pictures }) => pictures?.map !== undefined,
    configure: async (command, resource, context) =>
      (await import('./map.ts')).configureMap(command, resource, context),
  },
];

export function pictureVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return pictureVerbs.filter(({ isFor }) => isFor(resource));
}
