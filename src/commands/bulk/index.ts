/** The verbs that work on many records at once, beside those that the API has for one: each loaded when a line names it. */
import type { Resource } from '../../contract/resource.ts';
import type { ResourceVerb } from '../hand-written.ts';

const bulkVerbs: readonly ResourceVerb[] = [
  {
    name: 'export',
    summary: ({ nouns }) => `Write all ${nouns} to a file`,
    isFor: ({ list }) => list !== undefined,
    configure: async (command, resource, context) =>
      (await import('./export.ts')).configureExport(command, resource, context),
  },
  {
    name: 'import',
    isWrite: true,
    summary: ({ nouns }) => `Add, change or delete many ${nouns} from a file`,
    isFor: ({ create, update, delete: remove }) =>
      [create, update, remove].some((access) => access !== undefined),
    configure: async (command, resource, context) =>
      (await import('./import.ts')).configureImport(command, resource, context),
  },
  {
    name: 'export-links',
    summary: ({ nouns }) => `Write links of ${nouns} to a file, a row each`,
    isFor: ({ links, list }) => links !== undefined && list !== undefined,
    configure: async (command, resource, context) =>
      (await import('./export-links.ts')).configureExportLinks(command, resource, context),
  },
  {
    name: 'import-links',
    isWrite: true,
    summary: ({ nouns }) => `Set or take away many links of ${nouns} from a file`,
    isFor: ({ links }) => links !== undefined,
    configure: async (command, resource, context) =>
      (await import('./import-links.ts')).configureImportLinks(command, resource, context),
  },
];

export function bulkVerbsOf(resource: Resource): readonly ResourceVerb[] {
  return bulkVerbs.filter(({ isFor }) => !resource.singleton && isFor(resource));
}
