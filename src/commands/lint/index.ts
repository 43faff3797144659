/** `boh lint [RESOURCE…]`: finds mistakes in the records of an account, its mirror, or files. */
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { isAtLeast } from '../../lint/finding.ts';
import type { Severity } from '../../lint/rule.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { addBaselineFlags, appliedBaseline, type BaselineFlags, openBaseline } from './baseline-file.ts';
import { addSourceFlags, chosenChecks, findingsIn, type SourceFlags } from './chosen.ts';
import { findingsResult } from './show-findings.ts';

interface Flags extends SourceFlags, BaselineFlags {
  failOn: Severity | 'never';
}

/** Returns the command. */
export function lintCommand(context: Context): Command {
  const command = prepare(new Command('lint'))
    .argument('[resource...]', 'the resources to check; all unless given')
    .description(
      'Find mistakes that no API refuses: items below cost, recipes that contain themselves, overlapping delivery zones. ' +
        'For a rule: boh explain RULE.\n\nExit codes: 0 nothing found that --fail-on names, 10 something found.',
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 10 from this severity on')
        .choices(['error', 'warning', 'never'])
        .default('error'),
    );
  addSourceFlags(command);
  addBaselineFlags(command);
  command.examples('boh lint', 'boh lint inventory-items suppliers --fail-on warning');
  return command.action(presented(context, (words: string[], flags: Flags) => run(words, flags, context)));
}

async function run(words: readonly string[], flags: Flags, context: Context): Promise<Result> {
  const baseline = openBaseline(flags, context);
  const chosen = await chosenChecks(words, flags, context);
  const all = await findingsIn(chosen, flags, context);
  const { findings, remarks } = await appliedBaseline(baseline, all, flags, context);
  const { failOn } = flags;
  if (failOn !== 'never' && findings.some(({ severity }) => isAtLeast(severity, failOn)))
    context.exitCode = 10;
  return { ...findingsResult(findings, context), remarks: [...all.remarks, ...remarks] };
}
