/** `boh import FOLDER|BOOK.xlsx`: imports the files of an export, which may have been edited. */
import type { Api } from '../../../api/contract/api.ts';
import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { truncateItems } from '../../../base/shown-items.ts';
import { staleChoices } from '../../../engine/tables/columns/options.ts';
import { type ExportedTables, openExportedTables } from '../../../engine/transfer/tables/exported-tables.ts';
import { isExportOfAccount } from '../../../engine/transfer/tables/table-index.ts';
import { TableSource } from '../../../engine/transfer/tables/table-source.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { unguardCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { openRunSession } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { damageFlag, resolveResources, resourceFlag } from '../flags/shared-flags.ts';
import { parseReferenceFlags, runTransfer, transferFlags, transferProblems } from './run-transfer.ts';

/** The values of `--match`. */
const matchMethods = ['id', 'key'] as const;

const importAllFlags = (api: Api) =>
  [
    ...under('Records:', [
      resourceFlag(),
      [
        '--match <method>',
        'match records by ID or by key (default: by ID in the account of the export)',
        { words: matchMethods },
      ],
      [
        '--stale <action>',
        'if a record changed after the export: refuse or overwrite (default: refuse)',
        { words: staleChoices },
      ],
      damageFlag,
    ]),
    ...transferFlags(api),
  ] as const;

export function importAllCommand(context: Context): Command {
  const { api } = context;
  return createCommand(context, {
    name: 'import',
    about:
      'Import a workbook or folder that boh export wrote, with all resources in one run. In the ' +
      'same account, records are matched by ID; in another account by key, and missing records are created with new IDs. ' +
      'Empty cells change nothing. All changes are shown first.\n\nTo import one file: boh RESOURCE import FILE.',
    args: [['[source]', 'the workbook or folder that boh export wrote']],
    usage: '<folder|book.xlsx> [flags]',
    flags: importAllFlags(api),
    examples: [
      'boh import all/ --dry-run',
      'boh import book.xlsx --resource customers,addresses',
      'boh import all/ --profile new-branch --map-branch "Old Town=Harbor"',
    ],
    dryRun: true,
    check: (flags) => transferProblems(flags, api),
    run: ([path], flags) => run(path, flags, context),
  });
}

async function run(
  path: string | undefined,
  flags: FlagsOf<ReturnType<typeof importAllFlags>>,
  context: Context,
): Promise<Result> {
  if (!path)
    throw usage('Missing the folder or workbook to import.', {
      hint: boh.account('import', 'FOLDER', '--dry-run'),
    });
  const { match, stale = 'refuse' } = flags;
  if (context.globals.offline) throw usage("import can't be used with --offline: it reads from the service.");
  const references = parseReferenceFlags(flags, context.api);
  const requestedResources = resolveResources(flags.resource, '--resource', context.api);
  const exportedTables = await openExportedTables(
    path,
    context.api,
    flags.withReferences ? undefined : requestedResources,
  );
  try {
    const session = await openRunSession(context, flags);
    const source = await TableSource.read(session, exportedTables, {
      unguardCell,
      acceptsDamage: flags.acceptDamage,
    });
    const resources = requestedResources ?? source.resources;
    const missingResources = resources.filter((resource) => !source.has(resource));
    if (missingResources.length > 0)
      throw usage(`${path} doesn't contain ${missingResources.map(({ nouns }) => nouns).join(', ')}.`);
    const isSameAccount =
      match === undefined ? await isExportOfAccount(session, source.index, path) : match === 'id';
    await source.resolveNames(isSameAccount);
    reportMatching(
      { path, exportedTables, source, isSameAccount, hasMatchFlag: match !== undefined },
      context,
    );
    return await runTransfer(
      {
        command: 'import',
        label: path,
        from: path,
        source,
        resources,
        session,
        isSameAccount,
        references,
        flags,
        edited: { stale, acceptsDamage: flags.acceptDamage },
        accountIdOf: (target, related) => source.accountIdOf(target, related),
      },
      context,
    );
  } finally {
    await exportedTables.close();
  }
}

/** Reports how records are matched, and which sheets and columns are ignored. */
function reportMatching(
  run: {
    path: string;
    exportedTables: ExportedTables;
    source: TableSource;
    isSameAccount: boolean;
    hasMatchFlag: boolean;
  },
  { streams }: Context,
): void {
  const { path, exportedTables, source, isSameAccount, hasMatchFlag } = run;
  for (const { table } of exportedTables.tables)
    for (const tableNote of table.notes ?? []) note(streams, tableNote);
  for (const sheet of exportedTables.hidden)
    note(streams, `The sheet "${sheet}" is hidden and was not read. To import it, unhide it.`);
  const reason = hasMatchFlag
    ? ''
    : `, because ${isSameAccount ? 'they belong to this account' : 'their IDs belong to another account'}`;
  note(streams, `${path}: records are matched by ${isSameAccount ? 'ID' : 'key'}${reason}.`);
  const renamedRecords = source.renamedRecords.map(
    ({ resource, name, line }) => `${name} (${resource.command} line ${line})`,
  );
  if (renamedRecords.length > 0)
    note(
      streams,
      `Other rows refer to records by names that this import changes: ${truncateItems(renamedRecords).join(', ')}. To import these files again later, update the names in those rows.`,
    );
  for (const [name, columns] of source.ignored)
    note(streams, `Columns ignored in ${name}, because they can't be set: ${columns.join(', ')}.`);
}
