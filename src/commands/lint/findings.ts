/** Reads the records for `boh lint` from the account, its mirror or files, and runs the rules on them. */
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { LintAccount } from '../../lint/account.ts';
import type { Finding } from '../../lint/finding.ts';
import { recordsOfDeclaration } from '../../lint/read-manifests.ts';
import { readMirrorRecords } from '../../lint/read-mirror.ts';
import { type RuleRecords, readRecords } from '../../lint/read-records.ts';
import { type Check, readsOf, runChecks, runnableChecks } from '../../lint/run-rules.ts';
import { runUserRule } from '../../lint/user-rules.ts';
import type { FileLocation } from '../../manifest/source/node.ts';
import { withReader } from '../../mirror/stores/open.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import type { Row } from '../../session/row.ts';
import { readDeclaration } from '../manifest/apply.ts';
import { requireMirrorOwnerToRead, targetOf } from '../mirror/target.ts';
import type { LintScope, LintSourceFlags } from './scope.ts';

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
    await requireMirrorOwnerToRead(reader, {}, context);
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
