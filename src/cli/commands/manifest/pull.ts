/** `boh pull DIR`: writes the account to manifests, one file for each resource. */
import { join } from 'node:path';
import { Failure } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/replace-file.ts';
import { manifestDocument, type PullResult, pull } from '../../../engine/manifest/pull/pull.ts';
import { createResultFolder } from '../../../engine/tables/result-folder.ts';
import type { Context } from '../../context/context.ts';
import { formatYamlDocument } from '../../terminal/yaml-text.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { resolveResources, resourceFlag } from '../flags/shared-flags.ts';
import { declarableResources } from './apply.ts';

export function pullCommand(context: Context): Command {
  const { api, globals } = context;
  return createCommand(context, {
    name: 'pull',
    about:
      'Write the account to files that boh apply reads, one RESOURCE.yaml for each resource. Past events, such as stock ' +
      'counts, are only written if --resource names them.\n\nTo keep a complete copy that can be restored: boh backup. ' +
      'To edit records in a spreadsheet: boh export.',
    args: [['<folder>', 'the folder for the files; existing files are replaced']],
    flags: [
      resourceFlag(),
      [
        '--exact',
        'also write empty fields, and $exact: apply then removes links and list entries that are not in the files',
      ],
    ],
    examples: ['boh pull account/', 'boh pull menu/ --resource categories,groups'],
    dryRun: true,
    reportsRedactions: true,
    run: async ([folder], { resource, exact = false }) => {
      const resources = resolveResources(resource, '--resource', api, declarableResources(api));
      const session = await context.session();
      const pullResult = await pull({ session, resources, isExact: exact });
      const files = globals.dryRun ? describeFiles(pullResult, folder) : await writeFiles(pullResult, folder);
      pullResult.missing.throwIfAny('The files were written without them.');
      throwIfExcluded(pullResult);
      return {
        kind: 'data',
        data: files,
        columns: [
          { name: 'resource', isIndivisible: true },
          { name: 'records', align: 'right' },
          { name: 'file', isIndivisible: true },
        ],
        idField: 'file',
        notes: fieldNotes(pullResult),
      };
    },
  });
}

function describeFiles({ resources }: PullResult, folder: string) {
  return resources.map(({ resource, records }) => ({
    resource: resource.command,
    records: records.length,
    file: join(folder, `${resource.command}.yaml`),
  }));
}

async function writeFiles(pullResult: PullResult, folder: string) {
  createResultFolder(folder);
  const files = describeFiles(pullResult, folder);
  for (const [index, pulledResource] of pullResult.resources.entries()) {
    await replaceFile(files[index]?.file ?? '', formatYamlDocument(manifestDocument(pulledResource)));
  }
  return files;
}

/** Reports fields that manifests don't contain. */
function fieldNotes({ otherFields }: PullResult): string[] {
  return [...otherFields].map(
    ([{ nouns }, names]) =>
      `Left out, because the API document doesn't have them: ${names.join(', ')} of ${nouns}.`,
  );
}

function throwIfExcluded({ excluded }: PullResult): void {
  if (excluded.length === 0) return;
  const names = excluded.map(({ nouns }) => nouns).join(', ');
  throw new Failure(
    'partial',
    `The account doesn't list these for this token: ${names}. The other files were written.`,
    {
      hint: 'Sign in with the missing scopes, or choose resources with --resource.',
    },
  );
}
