/** The flags and the file of the baseline of `boh lint`. */
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { daysAfter, isDate } from '../../contract/moment.ts';
import { readSource } from '../../input/text-source.ts';
import { acceptAll, type BaselineEntry, newFindings, prune, readBaseline } from '../../lint/baseline.ts';
import type { Finding } from '../../lint/finding.ts';
import type { Check } from '../../lint/run-rules.ts';
import { checkWritable, replaceFile } from '../../tables/replace-file.ts';
import { numeral } from '../../terminal/numeral.ts';
import { yamlText } from '../../terminal/yaml-text.ts';
import type { Command } from '../command.ts';

const usualFile = 'lint.yaml';
const usualDays = 90;

/** The flags of the baseline, as typed. */
export interface BaselineFlags {
  baseline?: string | false;
  writeBaseline?: string;
  pruneBaseline?: boolean;
  reason?: string;
  expires?: string;
}

/** Adds the flags of the baseline. */
export function addBaselineFlags(command: Command): void {
  command.group(
    'Baseline:',
    new Option(
      '--baseline <file>',
      `don't report findings that this file accepts (default: ${usualFile}, if there is one)`,
    ),
    new Option('--no-baseline', 'report all findings'),
    new Option('--write-baseline <file>', 'accept all findings in this file; needs --reason'),
    new Option('--reason <text>', 'why the findings are accepted'),
    new Option('--expires <when>', 'accept until this date, or for this many days: 30d').default(
      `${usualDays}d`,
    ),
    new Option('--prune-baseline', 'remove findings from the baseline that no longer occur'),
  );
}

/** A baseline in its file. */
export interface BaselineFile {
  file: string | undefined;
  accepted: BaselineEntry[];
}

/** Reads the baseline that the flags name, or the usual one. Throws a usage failure before anything is requested. */
export async function openBaseline(flags: BaselineFlags, context: Context): Promise<BaselineFile> {
  const { baseline, writeBaseline, reason, pruneBaseline } = flags;
  if ((writeBaseline === undefined) !== (reason === undefined))
    throw usage('--write-baseline and --reason need each other: each accepted finding has a reason.');
  if (writeBaseline !== undefined) expiryOf(flags, context);
  const usual = existsSync(usualFile) ? usualFile : undefined;
  const file = writeBaseline ?? (baseline === false ? undefined : (baseline ?? usual));
  if (pruneBaseline && file === undefined) throw usage('--prune-baseline needs a baseline: --baseline FILE');
  if (file !== undefined && (writeBaseline !== undefined || pruneBaseline)) await checkWritable(file);
  if (file === undefined || (file === writeBaseline && !existsSync(file))) return { file, accepted: [] };
  const { text } = await readSource({ given: `@${file}`, flag: '--baseline' }, context.streams);
  return { file, accepted: readBaseline(text, file) };
}

/** Writes the baseline as the flags say. Returns the findings that it doesn't accept, and notes. */
export async function appliedBaseline(
  { file, accepted }: BaselineFile,
  { findings, checks }: { findings: readonly Finding[]; checks: readonly Check[] },
  flags: BaselineFlags,
  context: Context,
): Promise<{ findings: Finding[]; notes: string[] }> {
  const today = context.now().toISOString().slice(0, 10);
  const kept = flags.pruneBaseline ? prune(accepted, findings, checks) : accepted;
  const { reason } = flags;
  const expires = expiryOf(flags, context);
  const written = reason === undefined ? kept : acceptAll(findings, kept, { today, reason, expires });
  const fresh = newFindings(findings, written, today);
  const notes: string[] = [];
  if (file !== undefined && (reason !== undefined || flags.pruneBaseline)) {
    const about = '# Findings that boh lint accepts: each until a date, for a reason.';
    await replaceFile(file, `${about}\n${yamlText({ findings: written })}`);
    const [added, removed] = [written.length - kept.length, accepted.length - kept.length];
    notes.push(`${file}: ${numeral(written.length)} accepted, ${added} of them new, ${removed} removed.`);
  }
  const hidden = findings.length - fresh.length;
  if (hidden > 0 && reason === undefined)
    notes.push(`${numeral(hidden)} accepted by ${file}; --no-baseline shows them.`);
  return { findings: fresh, notes };
}

function expiryOf({ expires = `${usualDays}d` }: BaselineFlags, { now }: Context): string {
  const [, days] = /^(\d{1,4})d$/.exec(expires) ?? [];
  const today = now().toISOString().slice(0, 10);
  if (days !== undefined) return daysAfter(today, Number(days));
  if (isDate(expires) && expires > today) return expires;
  throw usage(`--expires takes a date in the future or a number of days, such as 2027-03-31 or 30d.`);
}
