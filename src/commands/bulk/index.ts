/** Defines the verbs for many records at once, export and import. Each is loaded when a command line names it. */
import type { Resource } from '../../contract/resource.ts';
import type { ResourceVerb } from '../hand-written.ts';

const loadExport = () => import('./export.ts');

const bulkVerbs: readonly ResourceVerb[] = [
  {
    name: 'export',
    summary: ({ nouns }) => `Export ${nouns} to a file`,
    isFor: ({ list }) => list !== undefined,
    configure: async (command, resource, context) =>
      (await loadExport()).configureExport(command, resource, context),
  },
  {
    name: 'import',
    isWrite: true,
    summary: ({ nouns }) => `Create, update or delete ${nouns} from a file`,
    isFor: ({ create, update, delete: remove }) =>
      [create, update, remove].some((access) => access !== undefined),
    configure: async (command, resource, context) =>
      (await import('./import.ts')).configureImport(command, resource, context),
  },
  {
    name: 'export-links',
    summary: ({ nouns }) => `Export links of ${nouns} to a file`,
    isFor: ({ links, list }) => links !== undefined && list !== undefined,
    configure: async (command, resource, context) =>
      (await loadExport()).configureExportLinks(command, resource, context),
  },
  {
    name: 'import-links',
    isWrite: true,
    summary: ({ nouns }) => `Add, change or remove links of ${nouns} from a file`,
    isFor: ({ links }) => links !== undefined,
    configure: async (command, resource, context) =>
      (await import('./import-links.ts')).configureImportLinks(command, resource, context),
  },
  {
    name: 'prices',
    isWrite: true,
    summary: ({ noun }) => `Set the prices of a ${noun} from its price list`,
    isFor: ({ priceLists }) => priceLists !== undefined,
    configure: async (command, resource, context) =>
      (await import('./prices.ts')).configurePrices(command, resource, context),
  },
];

/** Returns the bulk verbs that the resource supports. */
export function bulkVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return bulkVerbs.filter(({ isFor }) => !resource.singleton && isFor(resource));
}
