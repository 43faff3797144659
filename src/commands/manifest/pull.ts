/** `boh pull DIR`: writes the account to manifests, one file for each resource. */
import { join } from 'node:path';
import { Option } from 'commander';
import { Failure } from '../../base/errors.ts';
import { replaceFile } from '../../base/replace-file.ts';
import type { Context } from '../../context/context.ts';
import { manifestDocument, type PullResult, pull } from '../../manifest/pull/pull.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { createResultFolder } from '../../tables/result-folder.ts';
import { formatYamlDocument } from '../../terminal/yaml-text.ts';
import { Command } from '../command.ts';
import { type ResourceFlag, resolveResources, resourceOption } from '../flags/resource-flag.ts';
import { prepare, withRedactionReport } from '../prepare.ts';
import { declarableResources } from './manifest-flags.ts';

interface Flags extends ResourceFlag {
  exact?: boolean;
}

/** Returns the command `boh pull`. */
export function pullCommand(context: Context): Command {
  return withRedactionReport(prepare(new Command('pull').withDryRun()), context)
    .argument('<folder>', 'the folder for the files; existing files are replaced')
    .description(
      'Write the account to files that boh apply reads, one RESOURCE.yaml for each resource. Past events, such as stock ' +
        'counts, are only written if --resource names them.\n\nTo keep a complete copy that can be restored: boh backup. ' +
        'To edit records in a spreadsheet: boh export.',
    )
    .addOption(resourceOption())
    .addOption(
      new Option(
        '--exact',
        'also write empty fields, and $exact: apply then removes links and list entries that are not in the files',
      ),
    )
    .examples('boh pull account/', 'boh pull menu/ --resource categories,groups')
    .action(createAction(context, (folder: string, flags: Flags) => run(folder, flags, context)));
}

async function run(folder: string, { resource, exact = false }: Flags, context: Context): Promise<Result> {
  const { api } = context;
  const resources = await resolveResources(resource, '--resource', declarableResources(api), api);
  const session = await context.session();
  const pullResult = await pull({ session, resources, isExact: exact });
  const files = context.globals.dryRun
    ? describeFiles(pullResult, folder)
    : await writeFiles(pullResult, folder);
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
