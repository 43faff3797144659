/** Reads the records that `boh lint` checks, from the account, its mirror or files, and runs the rules over them. */
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { LintAccount } from '../../lint/account.ts';
import type { Finding } from '../../lint/finding.ts';
import { type RecordsRead, readRecords } from '../../lint/read-records.ts';
import { type Check, possible, readsOf, runChecks } from '../../lint/run-rules.ts';
import type { UserRule } from '../../lint/user-rules.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import type { Chosen, SourceFlags } from './chosen.ts';

/** What was found, by which checks, with notes on what could not be checked. */
export interface Found {
  findings: Finding[];
  checks: Check[];
  notes: Hint[];
}

/** Reads the records and runs the checks. */
export async function findingsIn(chosen: Chosen, { mirror }: SourceFlags, context: Context): Promise<Found> {
  const { userRules, paths } = chosen;
  if (paths.length > 0 && userRules.length === 0)
    return check(chosen, await fromFiles(paths, context), context);
  if (!mirror && userRules.length === 0) return check(chosen, await fromAccount(chosen, context), context);
  return withMirror(context, async (reader) => {
    const source = mirror ? await fromMirror(chosen, reader, context) : await fromAccount(chosen, context);
    const found = await check(chosen, source, context);
    const own = await Promise.all(userRules.map((rule) => runOwn(rule, reader)));
    return { ...found, findings: [...found.findings, ...own.flat()] };
  });
}

/** Records with what a source can't show. */
interface Source extends RecordsRead {
  /** Why lists are missing. */
  why: string;
  /** What to do about it. */
  hint?: Hint;
  /** Whether records are absent from the lists that the account has: rules that need all of them are skipped. */
  isPartial?: true;
  placed?: (finding: Finding) => Finding;
}

async function check({ checks }: Chosen, source: Source, context: Context): Promise<Found> {
  const { rows, missing, isPartial, why, hint, placed = (finding) => finding } = source;
  const account = new LintAccount(context.api, context.now().toISOString().slice(0, 10), rows);
  const able = possible(checks, account).filter(({ rule }) => !(isPartial && rule.needsWholeLists));
  const skipped = isPartial ? [] : checks.filter((one) => !able.includes(one)).map(({ rule }) => rule.name);
  const lists = missing.map(({ nouns }) => nouns).join(', ');
  const text = `Skipped, because ${why} ${lists}: ${[...new Set(skipped)].join(', ')}.`;
  const notes = skipped.length === 0 ? [] : [hint ? [text, ' ', hint] : text];
  return { findings: (await runChecks(able, account)).map(placed), checks: able, notes };
}

async function fromAccount({ checks }: Chosen, context: Context): Promise<Source> {
  const read = await readRecords(await context.session(), readsOf(checks, context.api));
  return { ...read, why: "the token can't list" };
}

async function fromMirror({ checks }: Chosen, reader: Reader, { api }: Context): Promise<Source> {
  const { readMirrored } = await import('../../lint/read-mirror.ts');
  const { readExcluded } = await import('../../mirror/schema/excluded.ts');
  const { readExcludedNames } = await import('../../mirror/sync/exclusions.ts');
  const excluded = readExcluded(api, await readExcludedNames(reader));
  const read = await readMirrored(reader, readsOf(checks, api), excluded);
  const names = read.missing.map(({ command }: Resource) => command).join(',');
  const hint = boh.mirror('mirror sync', '--resource', names);
  return { ...read, why: 'the mirror has no complete list of', hint };
}

async function fromFiles(paths: readonly string[], context: Context): Promise<Source> {
  const { declarationOf } = await import('../manifest/manifest-flags.ts');
  const { declaredRecords } = await import('../../lint/read-manifests.ts');
  const declaration = await declarationOf(paths, context);
  declaration.faults?.mistakes.throwIfAny();
  const { places, ...read } = declaredRecords(declaration);
  const placed = (finding: Finding): Finding => {
    const at = places.get(finding.row);
    return at ? { ...finding, at, fix: `${at.file}:${at.line}` } : finding;
  };
  return { ...read, why: '', isPartial: true, placed };
}

async function withMirror<Value>(context: Context, run: (reader: Reader) => Promise<Value>): Promise<Value> {
  const { requireOwnToRead, targetOf } = await import('../mirror/target.ts');
  const { openReader } = await import('../../mirror/stores/open.ts');
  const { mirroredResources } = await import('../../mirror/schema/derive.ts');
  const reader = await openReader(await targetOf({}, context), mirroredResources(context.api));
  try {
    await requireOwnToRead(reader, {}, context);
    return await run(reader);
  } finally {
    await reader.close();
  }
}

async function runOwn(rule: UserRule, reader: Reader): Promise<Finding[]> {
  const { runUserRule } = await import('../../lint/user-rules.ts');
  return runUserRule(rule, reader);
}
