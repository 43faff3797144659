/** The end of a run: its summary, the failure for its exit code, and the file of failed rows. */

import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { Failure, type Outcome, usage } from '../../base/errors.ts';
import { boh, type Hint, joinHints } from '../../base/hint.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { findDuplicates } from '../../runs/concurrent-duplicates.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { Action } from '../../runs/ledger/row.ts';
import { isAnyDone } from '../../runs/ledger/runs.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { type TableShape, writeFailedRows } from '../../tables/failed-rows.ts';
import { formsByExtension } from '../../tables/open-table.ts';
import { checkWritable } from '../../tables/replace-file.ts';
import type { TableForm } from '../../tables/table.ts';
import { report, warn } from '../../terminal/messages.ts';
import type { RunFlags } from './run-flags.ts';

/** How a run ended. */
export interface RunEnd {
  failure?: Failure | undefined;
  notes: Hint[];
}

/** Returns how the run ended. `doneHere` counts the rows that this process did, for a ledger that can no longer be read. */
export async function endOfRun(
  ledger: Ledger,
  stopped: Failure | undefined,
  flags: RunFlags,
  doneHere: number,
): Promise<RunEnd> {
  try {
    return await endWithLedger(ledger, stopped, flags);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    const message = `${error.message} This process completed ${doneHere} ${doneHere === 1 ? 'row' : 'rows'}; the outcome of the others is unknown.`;
    const failure = new Failure(error.category, message, { ...error.details, outcome: 'unknown' });
    return { failure, notes: [] };
  }
}

async function endWithLedger(ledger: Ledger, stopped: Failure | undefined, flags: RunFlags): Promise<RunEnd> {
  const failure = failureOf(ledger, stopped ?? unfinished(ledger));
  try {
    return { failure, notes: [summary(ledger), ...(await keepFailed(ledger, flags))] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: withoutFailed(ledger, failure, error), notes: [summary(ledger)] };
  }
}

/** Records that the run is finished if no rows are left. Returns the failure if that can't be recorded. */
function unfinished(ledger: Ledger): Failure | undefined {
  if (ledger.count('planned', 'sent', 'unknown') > 0) return undefined;
  try {
    ledger.setFact('state', 'finished');
    return undefined;
  } catch (error) {
    if (error instanceof StorageFailure) return error;
    throw error;
  }
}

/** Returns the failure of a run whose file of failed rows can't be written. Its other results are kept. */
function withoutFailed(ledger: Ledger, failure: Failure | undefined, { message }: Failure): Failure {
  const ended = failure?.message ?? `${ledger.count('done')} are done.`;
  const resumeCommand = boh.of(profileOf(ledger), 'runs resume', nameOf(ledger), '--failed', 'FILE');
  const hint = ledger.isKept
    ? ['To write them to another file: ', resumeCommand]
    : 'All rows are listed above.';
  return new Failure(
    failure?.category ?? 'partial',
    `${ended} The failed rows could not be written: ${message}`,
    {
      ...failure?.details,
      hint,
    },
  );
}

/** Returns the profile that a run was started with: it is resumed at its own account, whichever profile is active then. */
export function profileOf(ledger: Ledger): string | undefined {
  return (ledger.fact('profile') ?? undefined) as string | undefined;
}

function nameOf(ledger: Ledger): string {
  return String(ledger.fact('name') ?? ledger.fact('id'));
}

/** Writes the failed rows to a file. Rows with an unknown outcome aren't included: imported again, they could be created twice. */
export async function keepFailed(ledger: Ledger, { failed: file }: RunFlags): Promise<string[]> {
  const shape = ledger.fact('shape') as TableShape | undefined;
  if (file === undefined || !shape) return [];
  const count = ledger.count('failed', 'bad');
  // Without failed rows an existing file of an earlier run is replaced, so that it isn't taken for this one's.
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

const words: Readonly<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  restore: 'restored',
  link: 'linked',
  unlink: 'unlinked',
  skip: 'unchanged',
};

function summary(ledger: Ledger): string {
  const all = ledger.counts();
  const parts = [
    ...Object.entries(words).map(([action, word]) => [all[`${action} done`] ?? 0, word] as const),
    [ledger.count('bad', 'failed'), 'failed'] as const,
    [ledger.count('unknown', 'sent'), 'with an unknown outcome'] as const,
    [ledger.count('planned'), 'not sent'] as const,
  ].filter(([count]) => count !== 0);
  return `${parts.map(([count, word]) => `${count} ${word}`).join(', ') || 'Nothing to do'}.`;
}

/** Returns the outcome of a stopped run. Rows before the failure may be done and must not be repeated blindly. */
function outcomeOf(ledger: Ledger, stopped: Failure): Outcome | undefined {
  if (ledger.count('unknown', 'sent') > 0) return 'unknown';
  if (!isAnyDone(ledger) || stopped.details.outcome !== 'not_sent') return stopped.details.outcome;
  return ledger.count('planned', 'failed', 'bad') > 0 ? 'unknown' : 'done';
}

function rowsAre(count: number): string {
  return `${count} ${count === 1 ? 'row is' : 'rows are'}`;
}

function failureOf(ledger: Ledger, stopped: Failure | undefined): Failure | undefined {
  const [done, failed] = [ledger.count('done'), ledger.count('failed', 'bad')];
  const [unknown, left] = [ledger.count('unknown', 'sent'), ledger.count('planned')];
  const { isKept } = ledger;
  const resumeCommand =
    isKept && unknown + left > 0
      ? boh.hint`To resume it: ${boh.of(profileOf(ledger), 'runs resume', nameOf(ledger))}`
      : undefined;
  if (stopped) {
    const outcome = outcomeOf(ledger, stopped);
    const message = `${stopped.message} ${rowsAre(done)} done; ${rowsAre(left + unknown)} left.`;
    // The hint of the failure comes first: it says what to fix before the run is resumed.
    const hint = joinHints('\n', stopped.details.hint, resumeCommand);
    const { outcome: _, ...details } = stopped.details;
    return new Failure(stopped.category, message, { ...details, hint, ...(outcome && { outcome }) });
  }
  if (failed + unknown + left === 0) return undefined;
  // The counts include rows that an earlier process of the run sent.
  const outcome: Outcome | undefined = unknown > 0 ? 'unknown' : undefined;
  const what = [
    failed > 0 && `${failed} failed`,
    unknown > 0 && `${unknown} have an unknown outcome`,
    left > 0 && `${left} were not sent`,
  ].filter((part) => part !== false);
  const hint =
    resumeCommand ??
    (isKept
      ? boh.hint`To list the failures: ${boh.of(profileOf(ledger), 'runs show', nameOf(ledger))}`
      : 'The failures are listed above.');
  // If all rows failed for one reason, the run has that category.
  const [reason, ...others] = ledger.reasons();
  const isForOneReason = done + unknown + left === 0 && others.length === 0;
  const rest = done === 0 ? 'nothing was done' : `${done} done`;
  return new Failure((isForOneReason && reason) || 'partial', `${what.join(', ')}; ${rest}.`, {
    hint,
    ...(outcome && { outcome }),
  });
}

/** Warns of records that this run and another user created at the same time. It never fails the run. */
export async function warnOfDuplicates(ledger: Ledger, session: Session, context: Context): Promise<void> {
  if ((ledger.counts()['create done'] ?? 0) === 0) return;
  const { streams } = context;
  try {
    const found = await findDuplicates(ledger, session, context.now().getTime());
    if (found.length === 0) return;
    const records =
      found.length === 1
        ? 'A record of this run now exists'
        : `${found.length} records of this run now exist`;
    warn(
      streams,
      `${records} twice: someone else created the same records at the same time, for example by importing the file on two machines.`,
    );
    for (const line of firstItems(
      found.map(({ key, id, other }) => `${key}: ${id} of this run, and ${other}`),
    ))
      report(streams, `  ${line}`);
    report(
      streams,
      'Before you delete one of them, check which is in use. boh undo would delete all records created by this run.',
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(streams, `Could not check whether someone else created the same records: ${error.message}`);
  }
}

/** Throws if the file of failed rows can't be written. `source` is the file with the rows, if it exists. */
export async function checkFailed(
  failed: string | undefined,
  { form, source }: { form: TableForm | undefined; source?: string },
): Promise<void> {
  if (failed === undefined) return;
  refuseOtherForm(failed, form);
  if (source !== undefined) refuseSource(failed, source);
  await checkWritable(failed);
}

/** Throws if the extension of the file differs from the format of the rows: import couldn't read it. */
function refuseOtherForm(failed: string, form: TableForm | undefined): void {
  const extension = extname(failed).slice(1);
  const named = formsByExtension[extension.toLowerCase()];
  if (named === undefined || form === undefined || named === form) return;
  throw usage(
    `--failed ${failed}: failed rows are written in the format of the input, ${form}, not as ${extension}.`,
    {
      hint: `End its name with .${form}.`,
    },
  );
}

/** Throws if the file is the input itself: rows that were not sent would be lost. */
function refuseSource(failed: string, source: string): void {
  const [to, from] = [failed, source].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!to || !from || to.dev !== from.dev || to.ino !== from.ino) return;
  throw usage(`--failed ${failed} is the input file and would be overwritten.`, {
    hint: 'Name another file.',
  });
}
