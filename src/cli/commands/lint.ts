/** `boh lint [RESOURCE…] [PATH…]`: finds mistakes in the records of an account, its mirror, or files. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../../account/session/row.ts';
import { daysAfter, isDate } from '../../api/contract/date-time.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import { boh, formatHint, type Hint, type RepeatedFlags } from '../../base/hint.ts';
import { redact } from '../../base/redaction.ts';
import { checkWritable, replaceFile } from '../../base/replace-file.ts';
import { formatCount, truncateItems } from '../../base/shown-items.ts';
import { LintAccount } from '../../engine/lint/account.ts';
import {
  acceptFindings,
  type BaselineEntry,
  newFindings,
  parseBaseline,
  pruneBaseline,
} from '../../engine/lint/baseline.ts';
import { type Finding, findingKey, isAtLeast } from '../../engine/lint/finding.ts';
import { recordsOfDeclaration } from '../../engine/lint/read-manifests.ts';
import { readMirrorRecords } from '../../engine/lint/read-mirror.ts';
import { type RuleRecords, readRecords } from '../../engine/lint/read-records.ts';
import { refuseUnknownRules, severities } from '../../engine/lint/rule.ts';
import { rules } from '../../engine/lint/rules/index.ts';
import { type Check, checksOf, readsOf, runChecks, runnableChecks } from '../../engine/lint/run-rules.ts';
import { formatSarif } from '../../engine/lint/sarif.ts';
import { parseUserRules, runUserRule, type UserRule } from '../../engine/lint/user-rules.ts';
import type { FileLocation } from '../../engine/manifest/source/node.ts';
import { withReader } from '../../engine/mirror/stores/open.ts';
import type { Reader } from '../../engine/mirror/stores/store.ts';
import { decide, rowChangeOf } from '../../engine/runs/decide.ts';
import type { Ledger } from '../../engine/runs/ledger/ledger.ts';
import { savePlan } from '../../engine/runs/ledger/saved-plan.ts';
import { buildPlan } from '../../engine/runs/plan.ts';
import type { Context } from '../context/context.ts';
import { readSource } from '../input/read-input.ts';
import type { DataResult, DisplayOptions, Result } from '../output/result.ts';
import { cleanLine } from '../terminal/clean.ts';
import { createPaint } from '../terminal/color.ts';
import { formatYaml } from '../terminal/yaml-text.ts';
import { planInNewLedger } from './bulk/ledger.ts';
import { previewPlan } from './bulk/run.ts';
import type { RunFlags } from './bulk/run-flags.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';
import { type FlagsOf, orNone, repeatedList, under } from './flags/flag-table.ts';
import { resolveResources } from './flags/shared-flags.ts';
import { readDeclaration } from './manifest/apply.ts';
import { requireMirrorOwner, targetOf } from './mirror/target.ts';

const lintSourceFlags = [
  ['--rule <rules>', 'only these rules, separated by commas (repeatable)', { ...repeatedList, ...orNone }],
  ['--exclude-rule <rules>', 'all rules except these (repeatable)', { ...repeatedList, ...orNone }],
  [
    '--rules <path>',
    'also run your own rules: a YAML file or a folder; each rule is a query on the mirror',
    { ...repeatedList, ...orNone },
  ],
  ['--mirror', 'read the records from the mirror instead of the account'],
] as const;

/** The flags that choose rules and records, not yet validated. */
export type LintSourceFlags = FlagsOf<typeof lintSourceFlags>;

const defaultFile = 'lint.yaml';
const defaultExpiryDays = 90;

const baselineFlags = under('Baseline:', [
  [
    '--baseline <file>',
    `don't report findings that this file accepts (default: ${defaultFile}, if it exists)`,
  ],
  ['--no-baseline', 'report all findings'],
  ['--write-baseline <file>', 'accept all findings in this file; needs --reason'],
  ['--reason <text>', 'the reason for accepting the findings'],
  [
    '--expires <when>',
    'accept until this date, or for this many days: 30d',
    { default: `${defaultExpiryDays}d` },
  ],
  ['--prune-baseline', 'remove findings from the baseline that no longer occur'],
]);

/** The flags of the baseline, not yet validated. */
type BaselineFlags = FlagsOf<typeof baselineFlags>;

const lintFlags = [
  [
    '--fail-on <severity>',
    'exit with 10 if there are findings of at least this severity',
    { choices: ['error', 'warning', 'never'], default: 'error' },
  ],
  ...lintSourceFlags,
  ['--sarif', 'print SARIF 2.1.0, which code hosts show in reviews'],
  ['--fix', 'plan the fixes of findings that have exactly one fix; send nothing'],
  ['--out <file>', 'with --fix: save the plan to this file for boh apply --plan'],
  ...baselineFlags,
] as const;

export function lintCommand(context: Context): Command {
  return createCommand(context, {
    name: 'lint',
    about:
      'Find mistakes that the API accepts: items sold below cost, recipes that contain themselves, overlapping delivery zones. ' +
      'For a rule: boh explain RULE.\n\nExits with 10 if there are findings of the severity of --fail-on.',
    args: [['[resource-or-path...]', 'resources to check, or files and folders instead of the account']],
    flags: lintFlags,
    examples: ['boh lint', 'boh lint inventory-items suppliers --fail-on warning', 'boh lint seeds/'],
    run: ([names], flags) => run(names, flags, context),
  });
}

async function run(
  args: readonly string[],
  flags: FlagsOf<typeof lintFlags>,
  context: Context,
): Promise<Result> {
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
    const notes = isKept ? await savePlan(run) : [];
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

/** The checks, rules and files of a command line. */
export interface LintScope {
  checks: Check[];
  userRules: UserRule[];
  /** Files and folders with declared records; empty to check the account. */
  paths: string[];
}

/** Returns the checks to run. Throws a usage failure for unknown names, before any request is sent. */
export async function readLintScope(
  args: readonly string[],
  flags: LintSourceFlags,
  context: Context,
): Promise<LintScope> {
  const { api } = context;
  const isPath = (arg: string) => arg === '-' || /[/.]/.test(arg) || existsSync(arg);
  const paths = args.filter((arg) => !api.findResource(arg) && isPath(arg));
  const resourceArgs = args.filter((arg) => !paths.includes(arg));
  const resourceNames = resourceArgs.length > 0 ? resourceArgs : undefined;
  const resources = resolveResources(resourceNames, 'boh lint', api);
  if (paths.length > 0 && flags.mirror) throw usage("--mirror can't be combined with files.");
  const allUserRules = await readRuleFiles(flags.rules, context);
  const allRules = [...rules, ...allUserRules];
  const names = allRules.map(({ name }) => name);
  const duplicates = allUserRules.filter(({ name }) => names.indexOf(name) !== names.lastIndexOf(name));
  if (duplicates.length > 0) throw usage(`Two rules have the name ${duplicates[0]?.name}.`);
  refuseUnknownRules([...flags.rule, ...flags.excludeRule], allRules);
  const isSelected = ({ name }: { name: string }) =>
    (flags.rule.length === 0 || flags.rule.includes(name)) && !flags.excludeRule.includes(name);
  const isInScope = ({ resource }: UserRule) => resources?.includes(resource) ?? true;
  const userRules = allUserRules.filter((rule) => isSelected(rule) && isInScope(rule));
  return { checks: checksOf(rules.filter(isSelected), api, resources), userRules, paths };
}

/** Reads the files of `--rules`. */
async function readRuleFiles(paths: readonly string[], { api, streams }: Context): Promise<UserRule[]> {
  if (paths.length === 0) return [];
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const yamlIn = (path: string) => readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
  const filesIn = (path: string) =>
    yamlIn(path)
      .sort()
      .map((name) => join(path, name));
  const rules: UserRule[] = [];
  for (const file of paths.flatMap((path) => (isFolder(path) ? filesIn(path) : [path]))) {
    const { text } = await readSource({ argument: `@${file}`, flag: '--rules' }, streams);
    rules.push(...parseUserRules(text, file, api));
  }
  return rules;
}

interface BaselineFile {
  file: string | undefined;
  accepted: BaselineEntry[];
}

/** Reads the baseline of the flags, or the default file. Throws a usage failure before any request is sent. */
async function openBaseline(flags: BaselineFlags, context: Context): Promise<BaselineFile> {
  const { baseline, writeBaseline, reason, pruneBaseline } = flags;
  if ((writeBaseline === undefined) !== (reason === undefined))
    throw usage('--write-baseline and --reason must be used together: each accepted finding needs a reason.');
  if (writeBaseline !== undefined) parseExpiry(flags, context);
  const existingDefault = existsSync(defaultFile) ? defaultFile : undefined;
  const file = writeBaseline ?? (baseline === false ? undefined : (baseline ?? existingDefault));
  if (pruneBaseline && file === undefined) throw usage('--prune-baseline needs a baseline: --baseline FILE');
  if (file !== undefined && (writeBaseline !== undefined || pruneBaseline)) await checkWritable(file);
  if (file === undefined || (file === writeBaseline && !existsSync(file))) return { file, accepted: [] };
  const { text } = await readSource({ argument: `@${file}`, flag: '--baseline' }, context.streams);
  return { file, accepted: parseBaseline(text, file) };
}

/** Applies the baseline to the findings, and writes it if the flags require it. Returns the findings that it doesn't accept, and notes. */
async function applyBaseline(
  { file, accepted }: BaselineFile,
  { findings, checks }: { findings: readonly Finding[]; checks: readonly Check[] },
  flags: BaselineFlags,
  context: Context,
): Promise<{ findings: Finding[]; notes: string[] }> {
  const today = context.now().toISOString().slice(0, 10);
  const remainingEntries = flags.pruneBaseline ? pruneBaseline(accepted, findings, checks) : accepted;
  const reason = flags.reason === undefined ? undefined : redact(flags.reason);
  const expires = parseExpiry(flags, context);
  const newBaseline =
    reason === undefined
      ? remainingEntries
      : acceptFindings(findings, remainingEntries, { today, reason, expires });
  const reportedFindings = newFindings(findings, newBaseline, today);
  const notes: string[] = [];
  if (file !== undefined && (reason !== undefined || flags.pruneBaseline)) {
    const fileHeader = '# Findings that boh lint accepts: each until a date, for a reason.';
    await replaceFile(file, `${fileHeader}\n${formatYaml({ findings: newBaseline })}`);
    const [addedCount, removedCount] = [
      newBaseline.length - remainingEntries.length,
      accepted.length - remainingEntries.length,
    ];
    notes.push(
      `${file}: ${formatCount(newBaseline.length)} accepted, ${addedCount} of them new, ${removedCount} removed.`,
    );
  }
  const acceptedCount = findings.length - reportedFindings.length;
  if (acceptedCount > 0 && reason === undefined)
    notes.push(`${formatCount(acceptedCount)} accepted by ${file}; --no-baseline shows them.`);
  return { findings: reportedFindings, notes };
}

function parseExpiry({ expires }: BaselineFlags, { now }: Context): string {
  const [, days] = /^(\d{1,4})d$/.exec(expires) ?? [];
  const today = now().toISOString().slice(0, 10);
  if (days !== undefined) return daysAfter(today, Number(days));
  if (isDate(expires) && expires > today) return expires;
  throw usage(`--expires takes a date in the future or a number of days, such as 2027-03-31 or 30d.`);
}

/** The findings, the checks that ran, and notes about checks that were skipped. */
export interface LintResult {
  findings: Finding[];
  checks: Check[];
  notes: Hint[];
}

/** Reads the records and runs the checks. */
export async function runLint(
  scope: LintScope,
  flags: LintSourceFlags,
  context: Context,
): Promise<LintResult> {
  const { userRules, paths } = scope;
  if (paths.length > 0 && userRules.length === 0)
    return runScope(scope, await readFiles(paths, context), context);
  if (!flags.mirror && userRules.length === 0)
    return runScope(scope, await readAccount(scope, context), context);
  return withReader(await targetOf({}, context), async (reader) => {
    await requireMirrorOwner(reader, {}, context, { isOnlyRead: true });
    const source = flags.mirror
      ? await readMirror(scope, reader, context)
      : await readAccount(scope, context);
    const result = await runScope(scope, source, context);
    const userFindings = await Promise.all(userRules.map((rule) => runUserRule(rule, reader)));
    return { ...result, findings: [...result.findings, ...userFindings.flat()] };
  });
}

/** The records to check, and the lists that a source doesn't have. */
interface LintRecords extends RuleRecords {
  /** The reason for missing lists, before their names: "the token can't list". */
  missingReason: string;
  /** The command that fixes it. */
  hint?: Hint;
  /** The locations of records in files. Files don't have all records: rules that need all of them are skipped. */
  locations?: ReadonlyMap<Row, FileLocation>;
}

async function runScope({ checks }: LintScope, source: LintRecords, context: Context): Promise<LintResult> {
  const { rows, missing, locations, missingReason, hint, reasons = [], missingFields = [] } = source;
  const account = new LintAccount(context.api, context.now().toISOString().slice(0, 10), rows);
  const usableChecks = locations ? checks.filter(({ rule }) => !rule.needsWholeLists) : checks;
  const checksToRun = runnableChecks(usableChecks, account);
  const skippedChecks = locations ? [] : checks.filter((candidate) => !checksToRun.includes(candidate));
  const skippedRules = skippedChecks.map(({ rule }) => rule.name);
  const missingNouns = missing.map(({ nouns }) => nouns).join(', ');
  const skipNote = `Rules skipped, because ${missingReason} ${missingNouns}: ${[...new Set(skippedRules)].join(', ')}.`;
  const skipNotes = skippedRules.length === 0 ? [] : [hint ? [skipNote, ' ', hint] : skipNote, ...reasons];
  const notes = [...skipNotes, ...[missingFields].flat()];
  const findings = (await runChecks(checksToRun, account)).map((finding): Finding => {
    const location = locations?.get(finding.row);
    return location ? { ...finding, location, fix: `${location.file}:${location.line}` } : finding;
  });
  return { findings, checks: checksToRun, notes };
}

async function readAccount({ checks }: LintScope, context: Context): Promise<LintRecords> {
  const records = await readRecords(await context.session(), readsOf(checks, context.api));
  const missingReason = records.reasons?.length ? "the service didn't list" : "the token can't list";
  return { ...records, missingReason };
}

async function readMirror({ checks }: LintScope, reader: Reader, { api }: Context): Promise<LintRecords> {
  const records = await readMirrorRecords(reader, readsOf(checks, api), api);
  const names = records.missing.map(({ command }: Resource) => command).join(',');
  const hint = boh.mirror('mirror sync', '--resource', names);
  return { ...records, missingReason: 'the mirror has no complete list of', hint };
}

async function readFiles(paths: readonly string[], context: Context): Promise<LintRecords> {
  const declaration = await readDeclaration(paths, context);
  declaration.errors?.mistakes.throwIfAny();
  return { ...recordsOfDeclaration(declaration), missingReason: '' };
}

/** Returns the findings as a result. The IDs in it are IDs of the records. */
function findingsResult(findings: readonly Finding[], { streams }: Context): DataResult {
  const formatFix = ({ fix }: Finding) => formatHint(fix, streams.repeatedFlags);
  const rows = findings.map((finding) => {
    const { severity, rule, resource, id, name, part, message, location } = finding;
    const fields = { severity, rule, resource: resource.command, id, name, part, message };
    return {
      ...fields,
      fix: formatFix(finding),
      ...(location && { file: location.file, line: location.line }),
    };
  });
  const text = (display: DisplayOptions) =>
    [
      ...groupFindings(findings).flatMap((group) =>
        group.length > maxSingleFindings
          ? formatGroup(group, streams.repeatedFlags, display)
          : group.map((finding) => formatFinding(finding, formatFix(finding), display)),
      ),
      formatSummary(findings),
    ].join('\n');
  return { kind: 'data', data: rows, idField: 'id', text };
}

/** The number of findings of a rule up to which each is shown in full. */
const maxSingleFindings = 3;

/** Returns the findings of each rule and resource together, in the order of their first. */
export function groupFindings(findings: readonly Finding[]): Finding[][] {
  return [...Map.groupBy(findings, ({ rule, resource }) => `${rule} ${resource.name}`).values()];
}

/** Formats findings of one rule: their number, the first of them, and the command that lists all. */
function formatGroup(
  group: readonly Finding[],
  flags: RepeatedFlags | undefined,
  { color }: DisplayOptions,
): string {
  const [first] = group;
  if (!first) return '';
  const { bold, red, dim } = createPaint(color);
  const { severity, rule, resource } = first;
  const more = formatHint(boh.account('lint', resource.command, '--rule', rule, '-o', 'csv'), flags);
  const lines = group.map(
    ({ name, id, message }) =>
      `  ${bold(cleanLine(name === id ? id : `${name} (${id})`))}: ${cleanLine(message)}`,
  );
  return [
    `${severity === 'error' ? red(severity) : severity} ${dim(rule)}: ${formatCount(group.length)} ${resource.nouns}`,
    ...truncateItems(lines).map((line) => (line.startsWith(' ') ? line : `  ${line}`)),
    `  ${dim(`${more} lists all with their fixes.`)}\n`,
  ].join('\n');
}

function formatFinding(finding: Finding, fix: string, { color }: DisplayOptions): string {
  const { severity, rule, resource, name, id, message } = finding;
  const { bold, red, dim } = createPaint(color);
  const label = name === id ? name : `${name} (${id})`;
  const heading = `${severity === 'error' ? red(severity) : severity} ${dim(rule)}: ${resource.noun} ${bold(cleanLine(label))}`;
  return `${heading}\n  ${cleanLine(message)}\n  ${dim(cleanLine(fix))}\n`;
}

function formatSummary(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'No findings.\n';
  const counts = severities.flatMap((severity) => {
    const count = new Set(findings.filter((finding) => finding.severity === severity).map(findingKey)).size;
    return count > 0
      ? [`${formatCount(count)} ${severity}${count === 1 || severity === 'info' ? '' : 's'}`]
      : [];
  });
  return `Findings: ${counts.join(', ')}.\n`;
}
