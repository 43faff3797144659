/** `boh diff PATH…` compares the account with files; `boh diff --from A --to B` compares two accounts. */

import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { compareAccounts } from '../../../engine/manifest/comparison/compare-accounts.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { runFlagProblems } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, orNone, repeated, under } from '../flags/flag-table.ts';
import { resolveResources, resourceFlag } from '../flags/shared-flags.ts';
import { openTwoAccounts } from '../transfer/copy.ts';
import { applyRefusalNotes, pathArguments, planFiles, planFlags } from './apply.ts';
import { changesResult, comparedExitCode, comparisonResult, summarizeManifestPlan } from './show-plan.ts';

const diffFlags = [
  ...planFlags(),
  ...under('Two accounts:', [
    ['--from <profile>', 'the profile of the expected account'],
    ['--to <profile>', 'the profile of the account to check'],
    resourceFlag(),
    [
      '--ignore <field>',
      'ignore differences in this field, also in links (repeatable)',
      { ...repeated, ...orNone },
    ],
  ]),
] as const;

type DiffFlags = FlagsOf<typeof diffFlags>;

export function diffCommand(context: Context): Command {
  return createCommand(context, {
    name: 'diff',
    about:
      'Compare an account with files, or two accounts. With files it works like boh plan, and exits with 10 if there are ' +
      'differences.\n\nExit codes: 0 no differences, 10 differences, 9 no differences, but something could not be compared.',
    args: pathArguments,
    usage: '<path...> | --from <profile> --to <profile> [flags]',
    flags: diffFlags,
    examples: [
      'boh diff seeds/ || echo "The account has changed"',
      'boh diff --from staging --to production --resource inventory-items --ignore cost',
    ],
    check: runFlagProblems,
    run: ([paths], flags) => run(paths, flags, context),
  });
}

const exampleCommand = boh.plain('diff', '--from', 'PROFILE', '--to', 'PROFILE');

function run(paths: readonly string[], flags: DiffFlags, context: Context): Promise<Result> {
  const { from, to, resource, ignore } = flags;
  const hasAccounts = from !== undefined || to !== undefined;
  if (hasAccounts) return compareTwoAccounts(paths, flags, context);
  if (resource !== undefined || ignore.length > 0)
    throw usage('--resource and --ignore need two accounts.', { hint: exampleCommand });
  return compareWithFiles(paths, flags, context);
}

async function compareWithFiles(
  paths: readonly string[],
  flags: DiffFlags,
  context: Context,
): Promise<Result> {
  const { plan } = await planFiles(paths, flags, context);
  context.exitCode = comparedExitCode(plan);
  const notes = [
    ...plan.notes,
    summarizeManifestPlan(plan, paths.join(' ')),
    ...applyRefusalNotes(plan, flags),
  ];
  return { ...changesResult(plan), notes };
}

async function compareTwoAccounts(
  paths: readonly string[],
  flags: DiffFlags,
  context: Context,
): Promise<Result> {
  const { from, to, prune, maxDeletes } = flags;
  if (from === undefined || to === undefined)
    throw usage('Missing --from or --to: diff compares two accounts.', { hint: exampleCommand });
  if (paths.length > 0 || prune.length > 0 || maxDeletes !== undefined)
    throw usage("--from and --to can't be combined with paths, --prune or --max-deletes.");
  const { api } = context;
  const resources = resolveResources(flags.resource, '--resource', api);
  const ignoredFields = flags.ignore.map((name) => parseFieldName(name, context));
  const sessions = await openTwoAccounts({ from, to }, {}, context, 'A comparison');
  const comparison = await compareAccounts({
    ...sessions,
    resources,
    ignored: ignoredFields,
    signal: context.signal,
  });
  context.exitCode = comparedExitCode(comparison);
  return comparisonResult(comparison, { from, to });
}

function parseFieldName(name: string, { api }: Context): string {
  const fieldNames = (resource: Resource) =>
    Object.entries(resource.fields).flatMap(([fieldName, { traits }]) => [
      fieldName,
      ...Object.keys({ ...traits.pivot, ...traits.fields }),
    ]);
  const names = [...new Set(api.collections.flatMap(fieldNames))];
  if (names.includes(name)) return name;
  throw usage(`Unknown field in --ignore: "${name}".${didYouMean(name, names)}`);
}
