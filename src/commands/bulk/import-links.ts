/** `boh RESOURCE import-links LINK FILE`: adds, changes and removes links from a file. */
import { usage } from '../../base/errors.ts';
import { allColumns, linkColumnsOf, linkKindsOf } from '../../bulk/links/link-rows.ts';
import { planLinks } from '../../bulk/links/plan-links.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { defaultOptions } from '../../tables/columns/options.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import type { Command } from '../command.ts';
import { damageOption } from '../flags/shared-flags.ts';
import { addFileFlags, runFile } from './file-run.ts';
import { type ImportFlags, parseImportFlags } from './import.ts';
import { addPlanningFlags } from './run-flags.ts';
import { openRunSession } from './run-session.ts';

/** Adds the arguments, flags and action of `import-links` to the command. */
export function configureImportLinks(command: Command, resource: Resource, context: Context): void {
  const linkNames = linkKindsOf(resource);
  command
    .withDryRun()
    .argument('[link]', `which links: ${linkNames.join(', ')}`)
    .argument('[file]', 'the file, or - for standard input')
    .usage('<link> <file> [flags]')
    .description(
      `Add, change or remove links of ${resource.nouns} from a file, a row for each link. Empty cells change nothing; "delete" in a _command column removes the link.`,
    );
  command.group('Rows:', damageOption());
  addFileFlags(command);
  addPlanningFlags(command);
  command.examples(
    `boh ${resource.command} import-links ${linkNames[0]} ${linkNames[0]}.csv --dry-run`,
    `boh ${resource.command} import-links ${linkNames[0]} ${linkNames[0]}.csv --skip-invalid --failed failed.csv`,
  );
  command.action(
    createAction(context, () => run(command.args, command.opts<ImportFlags>(), resource, context)),
  );
}

async function run(
  [linkName, file]: readonly string[],
  flags: ImportFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  const columns = linkColumnsOf(resource, linkName);
  const names = allColumns(columns).map(({ name }) => name);
  if (file === undefined) {
    throw usage(`${resource.command} import-links ${linkName} needs a file, or - for standard input.`, {
      hint: `Its columns: ${names.join(', ')}.`,
    });
  }
  const { decimal } = parseImportFlags(flags);
  if (context.globals.offline) throw usage('import-links reads existing links, and --offline forbids that.');
  const command = `${resource.command} import-links ${linkName}`;
  const defaults = { headerNames: new Set(names), defaultSheet: `${resource.command} ${linkName}` };
  return runFile({ file, command, resource, flags, ...defaults }, context, async (openFile) => {
    const ledger = openFile.createLedger();
    const session = await openRunSession(context, flags);
    const { nullText } = defaultOptions;
    const reading = { decimal, nullText, unescapeFormula, acceptsDamage: flags.acceptDamage };
    const plan = { ...openFile, ledger, resource, columns, session, ...reading };
    await planLinks({ ...plan, beforeMatching: () => openFile.lock(plan) });
    return { plan };
  });
}
