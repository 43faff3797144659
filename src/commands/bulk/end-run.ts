/** How a run ended: in a sentence, in the failure that its exit code stands for, and in the file of failed rows. */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { Failure, type Outcome, usage } from '../../base/errors.ts';
import { boh, type Hint, joinHints } from '../../base/hint.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { Action } from '../../runs/ledger/row.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { TableShape } from '../../tables/failed-rows.ts';
import { formsByExtension } from '../../tables/open-table.ts';
import type { TableForm } from '../../tables/table.ts';
import { checkPlace } from '../../tables/whole-file.ts';
import { tell, warn } from '../../terminal/messages.ts';
import type { RunFlags } from './run-flags.ts';

export interface RunEnd {
  failure?: Failure | undefined;
  remarks: Hint[];
}

/** `doneHere` is how many rows this process has seen done: where the ledger can't be read any more, that has to do. */
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
    const message = `${error.message} ${rowsAre(doneHere)} done by this process; what became of the others is not known.`;
    const failure = new Failure(error.category, message, { ...error.details, outcome: 'unknown' });
    return { failure, remarks: [] };
  }
}

async function endWithLedger(ledger: Ledger, stopped: Failure | undefined, flags: RunFlags): Promise<RunEnd> {
  const failure = failureOf(ledger, stopped ?? unfinished(ledger));
  try {
    return { failure, remarks: [summary(ledger), ...(await keepFailed(ledger, flags))] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: withoutFailed(ledger, failure, error), remarks: [summary(ledger)] };
  }
}

/** Notes that nothing is left to be sent; answers why that couldn't be noted. */
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

/** The run is over, whatever became of the file: what it has done counts. */
function withoutFailed(ledger: Ledger, failure: Failure | undefined, { message }: Failure): Failure {
  const ended = failure?.message ?? `${ledger.count('done')} are done.`;
  const again = boh.of(profileOf(ledger), 'runs resume', nameOf(ledger), '--failed', 'FILE');
  const hint = ledger.isKept ? ['To have them in another file: ', again] : 'All rows are listed above.';
  return new Failure(failure?.category ?? 'partial', `${ended} The failed rows are in no file: ${message}`, {
    ...failure?.details,
    hint,
  });
}

/** Returns the profile that a run was started with: it is resumed at its own account, whichever profile is active then. */
export function profileOf(ledger: Ledger): string | undefined {
  return (ledger.fact('profile') ?? undefined) as string | undefined;
}

function nameOf(ledger: Ledger): string {
  return String(ledger.fact('name') ?? ledger.fact('id'));
}

/** Rows of unknown outcome are not among them: imported again, they could be there twice. */
export async function keepFailed(ledger: Ledger, { failed: file }: RunFlags): Promise<string[]> {
  const shape = ledger.fact('shape') as TableShape | undefined;
  if (file === undefined || !shape) return [];
  const count = ledger.count('failed', 'bad');
  const { existsSync } = await import('node:fs');
  // One that an earlier run has left would be taken for that of this one.
  if (count === 0 && !existsSync(file)) return [];
  const { writeFailedRows } = await import('../../tables/failed-rows.ts');
  await writeFailedRows(file, shape, failedRows(ledger));
  return [`${count} ${count === 1 ? 'row' : 'rows'} to mend: ${file}`];
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
    [ledger.count('unknown', 'sent'), 'of unknown outcome'] as const,
    [ledger.count('planned'), 'not sent'] as const,
  ].filter(([count]) => count !== 0);
  return `${parts.map(([count, word]) => `${count} ${word}`).join(', ') || 'Nothing was to be done'}.`;
}

/** What stopped a run may not have been sent, and rows before it were: they must not be repeated blindly. */
function outcomeOf(ledger: Ledger, stopped: Failure): Outcome | undefined {
  if (ledger.count('unknown', 'sent') > 0) return 'unknown';
  const isSent = Object.entries(ledger.counts()).some(
    ([name, count]) => count > 0 && name.endsWith(' done') && name !== 'skip done',
  );
  if (!isSent || stopped.details.outcome !== 'not_sent') return stopped.details.outcome;
  return ledger.count('planned', 'failed', 'bad') > 0 ? 'unknown' : 'done';
}

function rowsAre(count: number): string {
  return `${count} ${count === 1 ? 'row is' : 'rows are'}`;
}

function failureOf(ledger: Ledger, stopped: Failure | undefined): Failure | undefined {
  const [done, failed] = [ledger.count('done'), ledger.count('failed', 'bad')];
  const [unknown, left] = [ledger.count('unknown', 'sent'), ledger.count('planned')];
  const { isKept } = ledger;
  const again =
    isKept && unknown + left > 0
      ? boh.hint`To resume it: ${boh.of(profileOf(ledger), 'runs resume', nameOf(ledger))}`
      : undefined;
  if (stopped) {
    const outcome = outcomeOf(ledger, stopped);
    const message = `${stopped.message} ${rowsAre(done)} done; ${rowsAre(left + unknown)} left.`;
    // What stopped it has to be seen to first.
    const hint = joinHints('\n', stopped.details.hint, again);
    const { outcome: _, ...details } = stopped.details;
    return new Failure(stopped.category, message, { ...details, hint, ...(outcome && { outcome }) });
  }
  if (failed + unknown + left === 0) return undefined;
  // Also of what an earlier process of the run has sent.
  const outcome: Outcome | undefined = unknown > 0 ? 'unknown' : undefined;
  const what = [
    failed > 0 && `${failed} failed`,
    unknown > 0 && `${unknown} ended on an unknown outcome`,
    left > 0 && `${left} were not sent`,
  ].filter((part) => part !== false);
  const hint =
    again ??
    (isKept
      ? boh.hint`To see what failed, and why: ${boh.plain('runs show', nameOf(ledger))}`
      : 'What failed, and why, is listed above.');
  // Where nothing else has come of it, the run has failed as its rows did.
  const [reason, ...others] = ledger.reasons();
  const isForOneReason = done + unknown + left === 0 && others.length === 0;
  const rest = done === 0 ? 'nothing was done' : `${done} are done`;
  return new Failure((isForOneReason && reason) || 'partial', `${what.join(', ')}; ${rest}.`, {
    hint,
    ...(outcome && { outcome }),
  });
}

/** The run is over, whatever comes of the look. */
export async function tellDoubled(ledger: Ledger, session: Session, context: Context): Promise<void> {
  if ((ledger.counts()['create done'] ?? 0) === 0) return;
  const { streams } = context;
  const { doublesOf } = await import('../../runs/added-elsewhere.ts');
  try {
    const found = await doublesOf(ledger, session, context.now().getTime());
    if (found.length === 0) return;
    const [records, are] = found.length === 1 ? ['A record', 'is'] : [`${found.length} records`, 'are'];
    warn(
      streams,
      `${records} that this run has added ${are} there twice: somebody else has added the same meanwhile, as where one file is imported from two machines at once.`,
    );
    for (const line of firstItems(
      found.map(({ key, id, other }) => `${key}: ${id} of this run, and ${other}`),
    ))
      tell(streams, `  ${line}`);
    tell(
      streams,
      'Before anything is deleted, look which of the two is in use; an undo takes back all that this run has added.',
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(
      streams,
      `Whether somebody else has added the same records meanwhile is not known: ${error.message}`,
    );
  }
}

/** `source`: the file with the rows, where it is still there. Throws before anything is sent. */
export async function checkFailed(
  failed: string | undefined,
  { form, source }: { form: TableForm | undefined; source?: string },
): Promise<void> {
  if (failed === undefined) return;
  refuseOtherForm(failed, form);
  if (source !== undefined) refuseSource(failed, source);
  await checkPlace(failed);
}

/** A name that says another form would not be read again. */
function refuseOtherForm(failed: string, form: TableForm | undefined): void {
  const extension = extname(failed).slice(1);
  const named = formsByExtension[extension.toLowerCase()];
  if (named === undefined || form === undefined || named === form) return;
  throw usage(`--failed ${failed}: the rows come as ${form}, and are written so, not as ${extension}.`, {
    hint: `End its name with .${form}.`,
  });
}

/** Whatever was not sent, or is of unknown outcome, would be gone with it. */
function refuseSource(failed: string, source: string): void {
  const [to, from] = [failed, source].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!to || !from || to.dev !== from.dev || to.ino !== from.ino) return;
  throw usage(`--failed ${failed}: that is the file with the rows, and would be written over.`, {
    hint: 'Give the rows that fail a file of their own.',
  });
}
