/** Reads the records that `boh lint` checks, from the account, its mirror or files, and runs the rules over them. */

import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { LintAccount } from '../../lint/account.ts';
import type { Finding } from '../../lint/finding.ts';
import { declaredRecords } from '../../lint/read-manifests.ts';
import { readMirrored } from '../../lint/read-mirror.ts';
import { type RecordsRead, readRecords } from '../../lint/read-records.ts';
import { type Check, readsOf, runChecks, runnableChecks } from '../../lint/run-rules.ts';
import { runUserRule } from '../../lint/user-rules.ts';
import type { FileLocation } from '../../manifest/source/node.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { withReader } from '../../mirror/stores/open.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import type { Row } from '../../session/row.ts';
import { readDeclaration } from '../manifest/manifest-flags.ts';
import { requireOwnToRead, targetOf } from '../mirror/target.ts';
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
  return withReader(await targetOf({}, context), mirroredResources(context.api), async (reader) => {
    await requireOwnToRead(reader, {}, context);
    const source = mirror ? await fromMirror(chosen, reader, context) : await fromAccount(chosen, context);
    const found = await check(chosen, source, context);
    const own = await Promise.all(userRules.map((rule) => runUserRule(rule, reader)));
    return { ...found, findings: [...found.findings, ...own.flat()] };
  });
}

/** Records with what a source can't show. */
interface Source extends RecordsRead {
  /** Why lists are missing. */
  why: string;
  /** What to do about it. */
  hint?: Hint;
  /** The locations of records in files. Files don't have all records: rules that need all of them are skipped. */
  locations?: ReadonlyMap<Row, FileLocation>;
}

async function check({ checks }: Chosen, source: Source, context: Context): Promise<Found> {
  const { rows, missing, locations, why, hint } = source;
  const account = new LintAccount(context.api, context.now().toISOString().slice(0, 10), rows);
  const able = runnableChecks(checks, account).filter(({ rule }) => !(locations && rule.needsWholeLists));
  const skipped = locations ? [] : checks.filter((one) => !able.includes(one)).map(({ rule }) => rule.name);
  const lists = missing.map(({ nouns }) => nouns).join(', ');
  const text = `Rules skipped, because ${why} ${lists}: ${[...new Set(skipped)].join(', ')}.`;
  const notes = skipped.length === 0 ? [] : [hint ? [text, ' ', hint] : text];
  const findings = (await runChecks(able, account)).map((finding): Finding => {
    const at = locations?.get(finding.row);
    return at ? { ...finding, at, fix: `${at.file}:${at.line}` } : finding;
  });
  return { findings, checks: able, notes };
}

async function fromAccount({ checks }: Chosen, context: Context): Promise<Source> {
  const read = await readRecords(await context.session(), readsOf(checks, context.api));
  return { ...read, why: "the token can't list" };
}

async function fromMirror({ checks }: Chosen, reader: Reader, { api }: Context): Promise<Source> {
  const read = await readMirrored(reader, readsOf(checks, api), api);
  const names = read.missing.map(({ command }: Resource) => command).join(',');
  const hint = boh.mirror('mirror sync', '--resource', names);
  return { ...read, why: 'the mirror has no complete list of', hint };
}

async function fromFiles(paths: readonly string[], context: Context): Promise<Source> {
  const declaration = await readDeclaration(paths, context);
  declaration.errors?.mistakes.throwIfAny();
  return { ...declaredRecords(declaration), why: '' };
}
