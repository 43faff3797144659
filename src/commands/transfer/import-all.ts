/** `boh import FOLDER|BOOK.xlsx`: writes the records of an export, which people may have edited, to an account. */
import { Option } from 'commander';
import { type FieldMessages, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { LimitFlags } from '../../runs/limits.ts';
import { staleChoices } from '../../tables/columns/options.ts';
import { unguardCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { type ExportedTables, openExported } from '../../transfer/tables/exported-tables.ts';
import { isOfAccount } from '../../transfer/tables/same-account.ts';
import { TableSource } from '../../transfer/tables/table-source.ts';
import { checkRunFlags, runSession } from '../bulk/run-session.ts';
import { Command } from '../command.ts';
import {
  listableResources,
  type ResourceFlag,
  resourceOption,
  resourcesNamed,
} from '../flags/resource-flag.ts';
import { ChoiceOption, readChoice, refuseFlags } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { runTransfer } from './run-transfer.ts';
import { addTransferFlags, givenReferences, type TransferFlags } from './transfer-flags.ts';

/** How records can be matched. */
const matches = ['id', 'key'] as const;

interface ImportAllFlags extends TransferFlags, ResourceFlag, Pick<LimitFlags, 'maxChanges'> {
  match?: string;
  stale?: string;
}

/** Builds the command. */
export function importAllCommand(context: Context): Command {
  const command = prepare(new Command('import'))
    .argument('[source]', 'the workbook or folder that boh export wrote')
    .usage('<folder|book.xlsx> [flags]')
    .description(
      'Import a workbook or folder that boh export wrote, with all resources in one run. In the ' +
        'same account, records are matched by ID; in another account by key, and missing ones are created with new IDs. ' +
        'Empty cells change nothing. All changes are shown first.\n\nTo import one file: boh RESOURCE import FILE.',
    )
    .group('Records:', resourceOption());
  command.group(
    'Records:',
    new ChoiceOption(
      '--match <method>',
      'match records by id or by key (default: by id in the account of the export)',
      matches,
    ),
    new ChoiceOption(
      '--stale <action>',
      'if a record changed after the export: refuse or overwrite (default: refuse)',
      staleChoices,
    ),
    new Option('--max-changes <number>', 'send nothing if more records would change: N or N%'),
  );
  addTransferFlags(command, context.api);
  command.examples(
    'boh import all/ --dry-run',
    'boh import book.xlsx --resource customers,addresses',
    'boh import all/ --profile new-branch --map-branch "Old Town=Harbor"',
  );
  return command.action(presented(context, () => run(command, context)));
}

async function run(command: Command, context: Context): Promise<Result> {
  const flags = command.opts<ImportAllFlags>();
  const [place] = command.args;
  if (!place)
    throw usage('Missing the folder or workbook to import.', {
      hint: boh.account('import', 'FOLDER', '--dry-run'),
    });
  checkRunFlags(flags);
  const problems: FieldMessages = {};
  const match = readChoice('match', flags.match, matches, problems);
  const stale = readChoice('stale', flags.stale, staleChoices, problems) ?? 'refuse';
  refuseFlags(problems);
  if (context.globals.offline) throw usage('import reads from the service, and --offline forbids that.');
  const references = givenReferences(command, context.api);
  const chosen = await resourcesNamed(
    flags.resource,
    '--resource',
    listableResources(context.api),
    context.api,
  );
  const exported = await openExported(place, context.api, flags.withReferences ? undefined : chosen);
  try {
    const session = await runSession(context, flags);
    const source = await TableSource.read(session, exported, unguardCell);
    const resources = chosen ?? source.resources;
    const lacking = resources.filter((resource) => !source.has(resource));
    if (lacking.length > 0)
      throw usage(`${place} contains no ${lacking.map(({ nouns }) => nouns).join(', no ')}.`);
    const isSameAccount =
      match === undefined ? await isOfAccount(session, source.index, place) : match === 'id';
    await source.resolveNames(isSameAccount);
    describe({ place, exported, source, isSameAccount, isMatchGiven: match !== undefined }, context);
    return await runTransfer(
      {
        command: 'import',
        label: place,
        from: place,
        source,
        resources,
        session,
        isSameAccount,
        references,
        flags,
        edited: { stale },
        idOutside: (target, related) => source.idOutside(target, related),
      },
      context,
    );
  } finally {
    await exported.close();
  }
}

/** Says how records are matched, and what is ignored. */
function describe(
  run: {
    place: string;
    exported: ExportedTables;
    source: TableSource;
    isSameAccount: boolean;
    isMatchGiven: boolean;
  },
  { streams }: Context,
): void {
  const { place, exported, source, isSameAccount, isMatchGiven } = run;
  for (const { table } of exported.tables) for (const text of table.notes ?? []) note(streams, text);
  for (const sheet of exported.hidden)
    note(streams, `The sheet "${sheet}" is hidden and was not read. To import it, unhide it.`);
  const why = isMatchGiven
    ? ''
    : `, because ${isSameAccount ? 'they are of this account' : 'their IDs are of another account'}`;
  note(streams, `${place}: records are matched by ${isSameAccount ? 'ID' : 'key'}${why}.`);
  const renamed = source.renamed.map(
    ({ resource, name, line }) => `${name} (${resource.command} line ${line})`,
  );
  if (renamed.length > 0)
    note(
      streams,
      `Other rows refer to records by names that this import changes: ${firstItems(renamed).join(', ')}. To import these files again later, replace the names there.`,
    );
  for (const [name, columns] of source.ignored)
    note(streams, `Columns ignored in ${name}, because they can't be set: ${columns.join(', ')}.`);
}
