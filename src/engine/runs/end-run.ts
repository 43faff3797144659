/** Finishes a run: its summary, the failure for its exit code, and the file of failed rows. */

import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { Failure, usage, type WriteStatus } from '../../base/errors.ts';
import { boh, type Hint, joinHints } from '../../base/hint.ts';
import { checkWritable } from '../../base/replace-file.ts';
import { StorageFailure } from '../../base/storage/failures.ts';
import { type StoredTableFormat, writeFailedRows } from '../tables/failed-rows.ts';
import { formatsByExtension } from '../tables/open-table.ts';
import type { TableFormat } from '../tables/table.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Action } from './ledger/row.ts';
import { hasDoneRows } from './ledger/runs.ts';

interface FailedRowsFlag {
  failed?: string;
}

/** The result of a run: its failure, if it failed, and notes for the user. */
export interface RunEnd {
  failure?: Failure | undefined;
  notes: Hint[];
}

/** Returns the result of a run. `completedRows`, a count of this process, is reported if the ledger can no longer be read. */
export async function endRun(
  ledger: Ledger,
  stopFailure: Failure | undefined,
  flags: FailedRowsFlag,
  completedRows: number,
): Promise<RunEnd> {
  try {
    return await finishWithLedger(ledger, stopFailure, flags);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    const message = `${error.message} This process completed ${completedRows} ${completedRows === 1 ? 'row' : 'rows'}; the outcome of the others is unknown.`;
    const failure = new Failure(error.category, message, { ...error.details, outcome: 'unknown' });
    return { failure, notes: [] };
  }
}

async function finishWithLedger(
  ledger: Ledger,
  stopFailure: Failure | undefined,
  flags: FailedRowsFlag,
): Promise<RunEnd> {
  const failure = failureOf(ledger, stopFailure ?? markFinished(ledger));
  try {
    return { failure, notes: [formatSummary(ledger), ...(await saveFailedRows(ledger, flags))] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: unwrittenFileFailure(ledger, failure, error), notes: [formatSummary(ledger)] };
  }
}

/** Marks the run as finished if no rows remain. Returns the failure if the ledger can't be written. */
function markFinished(ledger: Ledger): Failure | undefined {
  if (ledger.count('planned', 'sent', 'unknown') > 0) return undefined;
  try {
    ledger.setProperty('state', 'finished');
    return undefined;
  } catch (error) {
    if (error instanceof StorageFailure) return error;
    throw error;
  }
}

/** Returns the failure of a run whose file of failed rows can't be written. It keeps the other details of the run's failure. */
function unwrittenFileFailure(ledger: Ledger, failure: Failure | undefined, { message }: Failure): Failure {
  const outcome = failure?.message ?? `${ledger.count('done')} are done.`;
  const resumeCommand = boh.forProfile(profileOf(ledger), 'runs resume', nameOf(ledger), '--failed', 'FILE');
  const hint = ledger.isOnDisk
    ? ['To write them to another file: ', resumeCommand]
    : 'All rows are listed above.';
  return new Failure(
    failure?.category ?? 'partial',
    `${outcome} The failed rows could not be written: ${message}`,
    {
      ...failure?.details,
      hint,
    },
  );
}

/** Returns the profile that a run was started with. The run is resumed with it, even if another profile is active. */
export function profileOf(ledger: Ledger): string | undefined {
  return (ledger.property('profile') ?? undefined) as string | undefined;
}

function nameOf(ledger: Ledger): string {
  return String(ledger.property('name') ?? ledger.property('id'));
}

/** Writes the failed rows to a file. Rows with an unknown outcome are omitted: a second import could create them twice. */
export async function saveFailedRows(ledger: Ledger, { failed: file }: FailedRowsFlag): Promise<string[]> {
  const shape = ledger.property('shape') as StoredTableFormat | undefined;
  if (file === undefined || !shape) return [];
  const count = ledger.count('failed', 'bad');
  // Without failed rows, replace a file of an earlier run, so that it isn't mistaken for the result of this run.
  if (count === 0 && !existsSync(file)) return [];
  await writeFailedRows(file, shape, failedRows(ledger));
  return [`Wrote ${count} failed ${count === 1 ? 'row' : 'rows'} to ${file}.`];
}

function* failedRows(ledger: Ledger) {
  for (const { raw, error } of ledger.rows('failed', 'bad'))
    yield { raw: raw ?? '', reason: reasonOf(error) };
}

function reasonOf(error: { message: string; fields?: unknown } | null): string {
  const fields = Object.entries((error?.fields ?? {}) as Record<string, string[]>);
  return [error?.message ?? '', ...fields.map(([name, messages]) => `${name}: ${messages.join(' ')}`)]
    .join(' ')
    .trim();
}

const actionWords: Readonly<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  restore: 'restored',
  link: 'linked',
  unlink: 'unlinked',
  skip: 'unchanged',
};

function formatSummary(ledger: Ledger): string {
  const counts = ledger.counts();
  const parts = [
    ...Object.entries(actionWords).map(([action, word]) => [counts[`${action} done`] ?? 0, word] as const),
    [ledger.count('bad', 'failed'), 'failed'] as const,
    [ledger.count('unknown', 'sent'), 'with an unknown outcome'] as const,
    [ledger.count('planned'), 'not sent'] as const,
  ].filter(([count]) => count !== 0);
  return `${parts.map(([count, word]) => `${count} ${word}`).join(', ') || 'Nothing to do'}.`;
}

/** Returns the outcome of a stopped run. Rows before the failure may be done and must not be repeated blindly. */
function outcomeOf(ledger: Ledger, stopFailure: Failure): WriteStatus | undefined {
  if (ledger.count('unknown', 'sent') > 0) return 'unknown';
  if (!hasDoneRows(ledger) || stopFailure.details.outcome !== 'not_sent') return stopFailure.details.outcome;
  return ledger.count('planned', 'failed', 'bad') > 0 ? 'unknown' : 'done';
}

function rowCountWithVerb(count: number): string {
  return `${count} ${count === 1 ? 'row is' : 'rows are'}`;
}

function failureOf(ledger: Ledger, stopFailure: Failure | undefined): Failure | undefined {
  const [doneCount, failedCount] = [ledger.count('done'), ledger.count('failed', 'bad')];
  const [unknownCount, notSentCount] = [ledger.count('unknown', 'sent'), ledger.count('planned')];
  const { isOnDisk } = ledger;
  const resumeCommand =
    isOnDisk && unknownCount + notSentCount > 0
      ? boh.hint`To resume it: ${boh.forProfile(profileOf(ledger), 'runs resume', nameOf(ledger))}`
      : undefined;
  if (stopFailure) {
    const outcome = outcomeOf(ledger, stopFailure);
    const message = `${stopFailure.message} ${rowCountWithVerb(doneCount)} done; ${rowCountWithVerb(notSentCount + unknownCount)} left.`;
    // The hint of the failure comes first: it says what to fix before the run is resumed.
    const hint = joinHints('\n', stopFailure.details.hint, resumeCommand);
    const { outcome: _, ...details } = stopFailure.details;
    return new Failure(stopFailure.category, message, { ...details, hint, ...(outcome && { outcome }) });
  }
  if (failedCount + unknownCount + notSentCount === 0) return undefined;
  // The counts include rows that an earlier process of the run sent.
  const outcome: WriteStatus | undefined = unknownCount > 0 ? 'unknown' : undefined;
  const parts = [
    failedCount > 0 && `${failedCount} failed`,
    unknownCount > 0 && `${unknownCount} have an unknown outcome`,
    notSentCount > 0 && `${notSentCount} were not sent`,
  ].filter((part) => part !== false);
  const hint =
    resumeCommand ??
    (isOnDisk
      ? boh.hint`To list the failures: ${boh.forProfile(profileOf(ledger), 'runs show', nameOf(ledger))}`
      : 'The failures are listed above.');
  // If all rows failed for one reason, the run has that category.
  const [reason, ...otherReasons] = ledger.failureCategories();
  const hasOneReason = doneCount + unknownCount + notSentCount === 0 && otherReasons.length === 0;
  const doneMessage = doneCount === 0 ? 'nothing was done' : `${doneCount} done`;
  return new Failure((hasOneReason && reason) || 'partial', `${parts.join(', ')}; ${doneMessage}.`, {
    hint,
    ...(outcome && { outcome }),
  });
}

/** Throws if the file of failed rows can't be written. `source` is the file with the rows, if it exists. */
export async function checkFailedFile(
  failedFile: string | undefined,
  { format, source }: { format?: TableFormat | undefined; source?: string },
): Promise<void> {
  if (failedFile === undefined) return;
  refuseOtherFormat(failedFile, format);
  if (source !== undefined) refuseInputFile(failedFile, source);
  await checkWritable(failedFile);
}

/** Throws if the extension of the file differs from the format of the rows: import couldn't read it. */
function refuseOtherFormat(failedFile: string, inputFormat: TableFormat | undefined): void {
  const extension = extname(failedFile).slice(1);
  const format = formatsByExtension[extension.toLowerCase()];
  if (format === undefined || inputFormat === undefined || format === inputFormat) return;
  throw usage(
    `--failed ${failedFile}: failed rows are written in the format of the input, ${inputFormat}, not as ${extension}.`,
    {
      hint: `End its name with .${inputFormat}.`,
    },
  );
}

/** Throws if the file is the input itself: rows that were not sent would be lost. */
function refuseInputFile(failedFile: string, source: string): void {
  const [output, input] = [failedFile, source].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!output || !input || output.dev !== input.dev || output.ino !== input.ino) return;
  throw usage(`--failed ${failedFile} is the input file and would be overwritten.`, {
    hint: 'Choose another file.',
  });
}
