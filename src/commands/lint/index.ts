/** `boh lint [RESOURCE…] [PATH…]`: finds mistakes in the records of an account, its mirror, or files. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { hintText } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import { type Finding, isAtLeast } from '../../lint/finding.ts';
import type { Severity } from '../../lint/rule.ts';
import { sarifOf } from '../../lint/sarif.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { knownValues } from '../../runs/known-values.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LimitFlags } from '../../runs/limits.ts';
import { planOf } from '../../runs/plan.ts';
import { differenceOf } from '../../session/diff/fields.ts';
import { planInNewLedger } from '../bulk/ledger.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { previewPlan } from '../bulk/run-plan.ts';
import { savePlan } from '../bulk/saved-plan.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { addBaselineFlags, appliedBaseline, type BaselineFlags, openBaseline } from './baseline-file.ts';
import { addSourceFlags, chosenChecks, type SourceFlags } from './chosen.ts';
import { findingsIn } from './findings.ts';
import { findingsResult } from './show-findings.ts';

interface Flags extends SourceFlags, BaselineFlags {
  failOn: Severity | 'never';
  sarif?: boolean;
  fix?: boolean;
  out?: string;
}

/** Returns the command. */
export function lintCommand(context: Context): Command {
  const command = prepare(new Command('lint'))
    .argument(
      '[resource-or-path...]',
      'resources to check, and files or folders to check instead of the account',
    )
    .description(
      'Find mistakes that the API accepts: items sold below cost, recipes that contain themselves, overlapping delivery zones. ' +
        'For a rule: boh explain RULE.\n\nExits with 10 if there are findings of the severity of --fail-on.',
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 10 if there are findings of at least this severity')
        .choices(['error', 'warning', 'never'])
        .default('error'),
    );
  addSourceFlags(command);
  command
    .addOption(new Option('--sarif', 'print SARIF 2.1.0, which code hosts show in reviews'))
    .addOption(new Option('--fix', 'plan the fixes of findings that have exactly one; send nothing'))
    .addOption(new Option('--out <file>', 'with --fix: save the plan to this file for boh apply --plan'));
  addBaselineFlags(command);
  command.examples('boh lint', 'boh lint inventory-items suppliers --fail-on warning', 'boh lint seeds/');
  return command.action(presented(context, (words: string[], flags: Flags) => run(words, flags, context)));
}

async function run(words: readonly string[], flags: Flags, context: Context): Promise<Result> {
  const { failOn, fix, out } = flags;
  const baseline = await openBaseline(flags, context);
  const chosen = await chosenChecks(words, flags, context);
  if (out !== undefined && !fix) throw usage('--out needs --fix.');
  if (fix && (flags.mirror || chosen.paths.length > 0 || flags.sarif))
    throw usage(
      "--fix needs the records of the account: it can't be combined with --mirror, --sarif or files.",
    );
  const all = await findingsIn(chosen, flags, context);
  const applied = await appliedBaseline(baseline, all, flags, context);
  const { findings } = applied;
  const notes = [...all.notes, ...applied.notes];
  if (fix) return plannedFixes(findings, out, context);
  if (failOn !== 'never' && findings.some(({ severity }) => isAtLeast(severity, failOn)))
    context.exitCode = 10;
  if (!flags.sarif) return { ...findingsResult(findings, context), notes };
  const rules = [...new Set(chosen.checks.map(({ rule }) => rule)), ...chosen.userRules];
  const fixOf = (finding: Finding) => hintText(finding.fix, context.streams.repeated);
  return { kind: 'document', document: sarifOf(findings, rules, fixOf), notes };
}

/** Shows the plan of the fixes, and saves it if a file is given. */
async function plannedFixes(
  findings: readonly Finding[],
  out: string | undefined,
  context: Context,
): Promise<Result> {
  const flags: RunFlags & LimitFlags = out === undefined ? {} : { out };
  const isKept = out !== undefined;
  const session = await context.session();
  return planInNewLedger({ command: 'lint --fix', source: null, flags, isKept, context }, async (ledger) => {
    addFixes(ledger, findings);
    const words = { label: 'Fixes', resource: { noun: 'record', nouns: 'records' } };
    const run = { ledger, session, flags, words };
    const notes = isKept ? await savePlan(run, context) : [];
    return await previewPlan(await planOf(run), { ...run, isKept, notes }, undefined, context);
  });
}

/** Adds an update to the ledger for each record with such findings. The first of two fixes of one field applies. */
function addFixes(ledger: Ledger, findings: readonly Finding[]): void {
  const fixable = findings.filter(({ set }) => set !== undefined);
  const records = Map.groupBy(fixable, ({ resource, id }) => `${resource.name} ${id}`);
  for (const own of records.values()) {
    const [first] = own;
    const update = first && operation(first.resource, 'update');
    if (!first || !update) continue;
    const { resource, row, name, id } = first;
    const given = Object.assign({}, ...own.map(({ set }) => set).reverse());
    const { body, changes } = differenceOf(update.body, given, row);
    const known = knownValues(resource, row, Object.keys(changes));
    const step = { resource: resource.name, verb: 'update', ids: [id], body, known };
    const planned = { state: 'planned', action: 'update', steps: [step], changes } as const;
    ledger.add([{ line: null, resource: resource.name, key: name, id, ...planned }]);
  }
}
