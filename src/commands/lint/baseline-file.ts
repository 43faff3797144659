/** Reads, applies and writes the baseline of `boh lint`, and defines its flags. */
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { redact } from '../../base/redaction.ts';
import { checkWritable, replaceFile } from '../../base/replace-file.ts';
import type { Context } from '../../context/context.ts';
import { daysAfter, isDate } from '../../contract/date-time.ts';
import { readSource } from '../../input/text-source.ts';
import {
  acceptFindings,
  type BaselineEntry,
  newFindings,
  parseBaseline,
  pruneBaseline,
} from '../../lint/baseline.ts';
import type { Finding } from '../../lint/finding.ts';
import type { Check } from '../../lint/run-rules.ts';
import { formatCount } from '../../terminal/format-count.ts';
import { formatYaml } from '../../terminal/yaml-text.ts';
import type { Command } from '../command.ts';

const defaultFile = 'lint.yaml';
const defaultExpiryDays = 90;

/** The flags of the baseline, not yet validated. */
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
      `don't report findings that this file accepts (default: ${defaultFile}, if it exists)`,
    ),
    new Option('--no-baseline', 'report all findings'),
    new Option('--write-baseline <file>', 'accept all findings in this file; needs --reason'),
    new Option('--reason <text>', 'the reason for accepting the findings'),
    new Option('--expires <when>', 'accept until this date, or for this many days: 30d').default(
      `${defaultExpiryDays}d`,
    ),
    new Option('--prune-baseline', 'remove findings from the baseline that no longer occur'),
  );
}

/** A baseline, and its file if it has one. */
export interface BaselineFile {
  file: string | undefined;
  accepted: BaselineEntry[];
}

/** Reads the baseline of the flags, or the default file. Throws a usage failure before any request is sent. */
export async function openBaseline(flags: BaselineFlags, context: Context): Promise<BaselineFile> {
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
export async function applyBaseline(
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

function parseExpiry({ expires = `${defaultExpiryDays}d` }: BaselineFlags, { now }: Context): string {
  const [, days] = /^(\d{1,4})d$/.exec(expires) ?? [];
  const today = now().toISOString().slice(0, 10);
  if (days !== undefined) return daysAfter(today, Number(days));
  if (isDate(expires) && expires > today) return expires;
  throw usage(`--expires takes a date in the future or a number of days, such as 2027-03-31 or 30d.`);
}
