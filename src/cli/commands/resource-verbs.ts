/** Declares the verbs of resources that aren't in the contract: for many records at once, and pictures. */

import { apiOf } from '../../api/contract/api.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Context } from '../context/context.ts';
import type { Command } from './command.ts';

/** A hand-written verb of a resource, such as `import`. It is loaded when a command line names it. */
export interface ResourceVerb {
  name: string;
  summary(resource: Resource): string;
  isFor(resource: Resource): boolean;
  /** The text before the command in a hint after a write: `To show it in the week`. */
  hintAfterWrite?: string;
  isWrite?: true;
  load(resource: Resource, context: Context): Promise<Command>;
}

const loadExport = () => import('./bulk/export.ts');
const loadPictures = () => import('./pictures/verbs.ts');

const bulkVerbs: readonly ResourceVerb[] = [
  {
    name: 'export',
    summary: ({ nouns }) => `Export ${nouns} to a file`,
    isFor: ({ list }) => list !== undefined,
    load: async (resource, context) => (await loadExport()).exportCommand(resource, context),
  },
  {
    name: 'import',
    isWrite: true,
    summary: ({ nouns }) => `Create, update or delete ${nouns} from a file`,
    isFor: ({ create, update, delete: remove }) =>
      [create, update, remove].some((access) => access !== undefined),
    load: async (resource, context) => (await import('./bulk/import.ts')).importCommand(resource, context),
  },
  {
    name: 'export-links',
    summary: ({ nouns }) => `Export links of ${nouns} to a file`,
    isFor: ({ links, list }) => links !== undefined && list !== undefined,
    load: async (resource, context) => (await loadExport()).exportLinksCommand(resource, context),
  },
  {
    name: 'import-links',
    isWrite: true,
    summary: ({ nouns }) => `Add, change or remove links of ${nouns} from a file`,
    isFor: ({ links }) => links !== undefined,
    load: async (resource, context) =>
      (await import('./bulk/import.ts')).importLinksCommand(resource, context),
  },
  {
    name: 'prices',
    isWrite: true,
    summary: ({ noun }) => `Set the prices of a ${noun} from its price list`,
    isFor: ({ priceLists }) => priceLists !== undefined,
    load: async (resource, context) => (await import('./bulk/prices.ts')).pricesCommand(resource, context),
  },
];

export function bulkVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return bulkVerbs.filter(({ isFor }) => !resource.singleton && isFor(resource));
}

const pictureVerbs: readonly ResourceVerb[] = [
  {
    name: 'map',
    summary: ({ nouns }) => `Show ${nouns} on a map, with overlaps and gaps`,
    hintAfterWrite: 'To show it on the map',
    isFor: ({ pictures }) => pictures?.map !== undefined,
    load: async (resource, context) => (await loadPictures()).mapCommand(resource, context),
  },
  {
    name: 'week',
    summary: ({ nouns }) => `Show ${nouns} in a week, with conflicts`,
    hintAfterWrite: 'To show it in the week',
    isFor: ({ pictures }) => pictures?.week !== undefined,
    load: async (resource, context) => (await loadPictures()).weekCommand(resource, context),
  },
  {
    name: 'costs',
    summary: ({ noun }) => `Show the cost of one ${noun} over time`,
    isFor: ({ pictures }) => pictures?.costs !== undefined,
    load: async (resource, context) => (await loadPictures()).costsCommand(resource, context),
  },
  {
    name: 'variance',
    summary: ({ noun }) => `Show the largest differences of one ${noun} from the expected quantities`,
    isFor: ({ pictures }) => pictures?.variance !== undefined,
    load: async (resource, context) =>
      (await import('./pictures/variance.ts')).varianceCommand(resource, context),
  },
  {
    name: 'levels',
    summary: ({ nouns }) => `Show the last counted quantity of ${nouns}, and minimum, par and maximum`,
    isFor: ({ pictures }) => pictures?.levels !== undefined,
    load: async (resource, context) => (await loadPictures()).levelsCommand(resource, context),
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

export function pictureVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return pictureVerbs.filter(({ isFor }) => isFor(resource));
}
