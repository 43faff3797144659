/** `boh RESOURCE import-links LINK FILE`: adds, changes and removes links from a file. */
import { usage } from '../../base/errors.ts';
import { allColumns, linkColumnsOf, linkKindsOf } from '../../bulk/links/link-rows.ts';
import { planLinks } from '../../bulk/links/plan-links.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Result } from '../../output/result.ts';
import { defaultOptions } from '../../tables/columns/options.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { damageFlag } from '../flags/shared-flags.ts';
import { fileFlags, runFile, skipInvalidFlag } from './file-run.ts';
import { planningFlags } from './run-flags.ts';
import { openRunSession, runFlagProblems } from './run-session.ts';

const linkFlags = [
  ...under('Rows:', [damageFlag]),
  ...under('Safety:', [skipInvalidFlag]),
  ...fileFlags,
  ...planningFlags,
] as const;

export function importLinksCommand(resource: Resource, context: Context): Command {
  const linkNames = linkKindsOf(resource);
  const [link] = linkNames;
  const command = `boh ${resource.command} import-links ${link} ${link}.csv`;
  return createCommand(context, {
    name: 'import-links',
    about: `Add, change or remove links of ${resource.nouns} from a file, a row for each link. Empty cells change nothing; "delete" in a _command column removes the link.`,
    args: [
      ['[link]', `which links: ${linkNames.join(', ')}`],
      ['[file]', 'the file, or - for standard input'],
    ],
    usage: '<link> <file> [flags]',
    flags: linkFlags,
    examples: [`${command} --dry-run`, `${command} --skip-invalid --failed failed.csv`],
    dryRun: true,
    check: runFlagProblems,
    run: ([linkName, file], flags) => run(linkName, file, flags, { resource, context }),
  });
}

async function run(
  linkName: string | undefined,
  file: string | undefined,
  flags: FlagsOf<typeof linkFlags>,
  { resource, context }: { resource: Resource; context: Context },
): Promise<Result> {
  const columns = linkColumnsOf(resource, linkName);
  const names = allColumns(columns).map(({ name }) => name);
  if (file === undefined) {
    throw usage(`${resource.command} import-links ${linkName} needs a file, or - for standard input.`, {
      hint: `Its columns: ${names.join(', ')}.`,
    });
  }
  if (context.globals.offline) throw usage('import-links reads existing links, and --offline forbids that.');
  const command = `${resource.command} import-links ${linkName}`;
  const defaults = { headerNames: new Set(names), defaultSheet: `${resource.command} ${linkName}` };
  return runFile({ file, command, resource, flags, ...defaults }, context, async (openFile) => {
    const ledger = await openFile.createLedger();
    const session = await openRunSession(context, flags);
    const { nullText } = defaultOptions;
    const reading = { decimal: flags.decimal, nullText, unescapeFormula, acceptsDamage: flags.acceptDamage };
    const plan = { ...openFile, ledger, resource, columns, session, ...reading };
    await planLinks({ ...plan, beforeMatching: () => openFile.lock(plan) });
    return { plan };
  });
}
