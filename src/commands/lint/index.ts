/** `boh lint [RESOURCE…] [PATH…]`: finds mistakes in the records of an account, its mirror, or files. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { formatHint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import { type Finding, isAtLeast } from '../../lint/finding.ts';
import type { Severity } from '../../lint/rule.ts';
import { formatSarif } from '../../lint/sarif.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { decide, rowChangeOf } from '../../runs/decide.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { buildPlan } from '../../runs/plan.ts';
import { planInNewLedger } from '../bulk/ledger.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { previewPlan } from '../bulk/run-plan.ts';
import { savePlan } from '../bulk/saved-plan.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { addBaselineFlags, applyBaseline, type BaselineFlags, openBaseline } from './baseline-file.ts';
import { runLint } from './findings.ts';
import { addLintSourceFlags, type LintSourceFlags, readLintScope } from './scope.ts';
import { findingsResult } from './show-findings.ts';

/** The flags of `boh lint`, not yet validated. */
interface Flags extends LintSourceFlags, BaselineFlags {
  failOn: Severity | 'never';
  sarif?: boolean;
  fix?: boolean;
  out?: string;
}

/** Returns the command `boh lint`. */
export function lintCommand(context: Context): Command {
  const command = prepare(new Command('lint'))
    .argument('[resource-or-path...]', 'resources to check, or files and folders instead of the account')
    .description(
      'Find mistakes that the API accepts: items sold below cost, recipes that contain themselves, overlapping delivery zones. ' +
        'For a rule: boh explain RULE.\n\nExits with 10 if there are findings of the severity of --fail-on.',
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 10 if there are findings of at least this severity')
        .choices(['error', 'warning', 'never'])
        .default('error'),
    );
  addLintSourceFlags(command);
  command
    .addOption(new Option('--sarif', 'print SARIF 2.1.0, which code hosts show in reviews'))
    .addOption(new Option('--fix', 'plan the fixes of findings that have exactly one fix; send nothing'))
    .addOption(new Option('--out <file>', 'with --fix: save the plan to this file for boh apply --plan'));
  addBaselineFlags(command);
  command.examples('boh lint', 'boh lint inventory-items suppliers --fail-on warning', 'boh lint seeds/');
  return command.action(createAction(context, (args: string[], flags: Flags) => run(args, flags, context)));
}

async function run(args: readonly string[], flags: Flags, context: Context): Promise<Result> {
  const { failOn, fix, out } = flags;
  const baseline = await openBaseline(flags, context);
  const scope = await readLintScope(args, flags, context);
  if (out !== undefined && !fix) throw usage('--out can only be used with --fix.');
  if (fix && (flags.mirror || scope.paths.length > 0 || flags.sarif))
    throw usage("--fix needs the records of the account, and can't be used with --mirror, --sarif or files.");
  const lintResult = await runLint(scope, flags, context);
  const baselineResult = await applyBaseline(baseline, lintResult, flags, context);
  const { findings } = baselineResult;
  const notes = [...lintResult.notes, ...baselineResult.notes];
  if (fix) return planFixes(findings, out, context);
  if (failOn !== 'never' && findings.some(({ severity }) => isAtLeast(severity, failOn)))
    context.exitCode = 10;
  if (!flags.sarif) return { ...findingsResult(findings, context), notes };
  const rules = [...new Set(scope.checks.map(({ rule }) => rule)), ...scope.userRules];
  const fixOf = (finding: Finding) => formatHint(finding.fix, context.streams.repeatedFlags);
  return { kind: 'document', document: formatSarif(findings, rules, fixOf), notes };
}

/** Shows the plan of the fixes, and saves it with `--out`. */
async function planFixes(findings: readonly Finding[], out: string | undefined, context: Context) {
  const flags: RunFlags = out === undefined ? {} : { out };
  const isKept = out !== undefined;
  const session = await context.session();
  return planInNewLedger({ command: 'lint --fix', source: null, flags, isKept, context }, async (ledger) => {
    addFixes(ledger, findings);
    const args = { label: 'Fixes', resource: { noun: 'record', nouns: 'records' } };
    const run = { ledger, session, flags, words: args };
    const notes = isKept ? await savePlan(run, context) : [];
    return await previewPlan(await buildPlan(run), { ...run, isKept, notes }, undefined, context);
  });
}

/** Adds an update for each record with fixable findings. If two findings fix the same field, the first fix is used. */
function addFixes(ledger: Ledger, findings: readonly Finding[]): void {
  const fixableFindings = findings.filter(({ fixValues }) => fixValues !== undefined);
  const records = Map.groupBy(fixableFindings, ({ resource, id }) => `${resource.name} ${id}`);
  for (const recordFindings of records.values()) {
    const [firstFinding] = recordFindings;
    const update = firstFinding && operation(firstFinding.resource, 'update');
    if (!firstFinding || !update) continue;
    const { resource, row, name, id } = firstFinding;
    const values = Object.assign({}, ...recordFindings.map(({ fixValues }) => fixValues).reverse());
    const change = rowChangeOf(decide({ resource, state: 'present', values }, row), id);
    ledger.add([{ line: null, resource: resource.name, key: name, id, state: 'planned', ...change }]);
  }
}
