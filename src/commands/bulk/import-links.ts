/** `boh RESOURCE import-links LINK FILE`: links set, changed and taken away as a file says, through a ledger. */
import { type Command, Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { allColumns, linkColumns, linkWords } from '../../bulk/links/link-columns.ts';
import { planLinks } from '../../bulk/links/plan-links.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { usualOptions } from '../../tables/columns/options.ts';
import { shapeOf } from '../../tables/failed-rows.ts';
import { openSource } from '../../tables/source.ts';
import { plainCell } from '../../terminal/formats/csv.ts';
import { carryOutFile, lockFile, openFile } from './file-run.ts';
import { type ImportFlags, readImportFlags } from './import-flags.ts';
import { beginLedger } from './ledger.ts';
import { addPlanningFlags } from './run-flags.ts';
import { runSession } from './run-session.ts';

export function configureImportLinks(command: Command, resource: Resource, context: Context): void {
  const words = linkWords(resource);
  command
    .argument('[link]', `which links: ${words.join(', ')}`)
    .argument('[file]', 'the file, or - for standard input')
    .usage('<link> <file> [flags]')
    .description(
      `Set, change or take away many links of ${resource.nouns}, a row each. An empty cell leaves its field alone; delete in a _command column takes the link away.`,
    );
  const options = [
    new Option('--encoding <name>', 'what it is written in, where it isn’t UTF-8'),
    new Option('--delimiter <character>', 'what separates its cells: comma, semicolon, tab, pipe'),
    new Option('--quote <kind>', 'what encloses its cells: double or single quotes (default: double)'),
    new Option('--sheet <name>', 'the sheet of a workbook; else the one named so, or the first'),
    new Option('--decimal <mark>', 'what stands before a fraction: point or comma'),
  ];
  for (const option of options) command.addOption(option.helpGroup('The file:'));
  const safety = [
    new Option('--skip-invalid', 'leave out bad rows, and send the others'),
    new Option('--failed <file>', 'write the rows that failed there, with the reason'),
    new Option('--max-changes <number>', 'send nothing if more rows than this would change; N or N%'),
    new Option('--exit-code', 'with --dry-run: end with 10 where something would change'),
  ];
  for (const option of safety) command.addOption(option.helpGroup('Safety:'));
  addPlanningFlags(command);
  command.addHelpText(
    'after',
    () => `\nExample:\n  boh ${resource.command} import-links ${words[0]} ${words[0]}.csv --dry-run`,
  );
  command.action(presented(context, () => run(command.args, command.opts<ImportFlags>(), resource, context)));
}

async function run(
  [word, file]: readonly string[],
  flags: ImportFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  const columns = linkColumns(resource, word);
  const names = allColumns(columns).map(({ name }) => name);
  if (file === undefined) {
    throw usage(`${resource.command} import-links ${word} needs a file, or - for standard input.`, {
      hint: `Its columns: ${names.join(', ')}.`,
    });
  }
  const { decimal } = readImportFlags(flags);
  if (context.globals.offline)
    throw usage('Links are held against those that are there, and --offline forbids that.');
  const source = await openSource(file, context.streams);
  let ledger: Ledger | undefined;
  try {
    const usual = { known: new Set(names), usualSheet: `${resource.command} ${word}` };
    const table = await openFile(source, flags, usual, context);
    const isKept = !context.globals.dryRun;
    const command = `${resource.command} import-links ${word}`;
    ledger = beginLedger({ command, resource, source: source.name ?? null, flags, isKept, context });
    ledger.setFact('shape', shapeOf(table));
    const session = await runSession(context, flags);
    const { nullText } = usualOptions;
    const { called } = source;
    const plan = { ledger, resource, columns, called, table, session, decimal, nullText, plainCell };
    await planLinks({ ...plan, beforeMatching: () => lockFile(plan, { source, flags, context }) });
    return await carryOutFile({ plan, source, flags, context });
  } catch (error) {
    // Nothing was sent yet.
    ledger?.discard();
    await source.close();
    throw error;
  }
}
