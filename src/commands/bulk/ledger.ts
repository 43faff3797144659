/** Creates the ledger of a new run: in the folder of runs, in a named file, or in memory. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { openScratch } from '../../base/scratch.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { lostLedger } from '../../runs/ledger/loss.ts';
import { newRunId } from '../../runs/ledger/run-id.ts';
import { isUnsent, ledgerHead, newLedger, noteNewRun, openLedger, prune } from '../../runs/ledger/runs.ts';
import { isDatabase } from '../../storage/existing-file.ts';
import { StorageFailure, systemErrorCode } from '../../storage/failures.ts';
import { profileOf } from './end-run.ts';
import type { RunFlags } from './run-flags.ts';

export interface LedgerBeginning {
  command: string;
  /** None where it writes to several. */
  resource?: Resource | undefined;
  /** The name of the file that the rows come from. */
  source: string | null;
  flags: RunFlags;
  /** Whether it outlasts the command. */
  isKept: boolean;
  context: Context;
}

/** Plans a run in a new ledger, which is discarded if that fails: nothing was sent yet. */
export async function inNewLedger<Planned>(
  beginning: LedgerBeginning,
  plan: (ledger: Ledger) => Promise<Planned>,
): Promise<Planned> {
  const ledger = beginLedger(beginning);
  try {
    return await plan(ledger);
  } catch (error) {
    ledger.discard();
    throw error;
  }
}

/** Creates the ledger of a new run. */
export function beginLedger({ command, resource, source, flags, isKept, context }: LedgerBeginning): Ledger {
  const { env } = context;
  const { out } = flags;
  if (out !== undefined && !isKept)
    throw usage("--out can't be combined with --dry-run: it saves the plan and sends nothing.");
  const now = context.now();
  const id = newRunId(now);
  const file = out ?? flags.ledger;
  const isAmongRuns = isKept && file === undefined;
  if (isAmongRuns) prune(env, now);
  const ledger = isAmongRuns ? amongRuns(env, id) : isKept ? ledgerAt(file, flags, env) : passing();
  const { rate, concurrency, between, maxErrors } = flags;
  noteNewRun(ledger, { id, name: isAmongRuns ? id : file || null, command, source, now });
  ledger.setFact('resource', resource?.name ?? null);
  ledger.setFact('flags', { rate, concurrency, between, maxErrors });
  return ledger;
}

/** Creates a ledger in the folder of runs. Throws if it can't be written, as the run could not be resumed. */
function amongRuns(env: Environment, id: string): Ledger {
  try {
    return newLedger(env, id);
  } catch (error) {
    if (!(error instanceof StorageFailure) || error.problem !== 'unreachable') throw error;
    const { category, message, details } = error;
    throw new Failure(category, message, {
      ...details,
      hint: "To write it elsewhere: --ledger FILE. To run without a ledger: --no-ledger (such a run can't be resumed)",
    });
  }
}

/** Creates the ledger of a plan that is only shown: a temporary file, as there may be a million rows, or else in memory. */
function passing(): Ledger {
  try {
    return new Ledger(join(openScratch('plan').path, 'plan.sqlite'));
  } catch (error) {
    if (error instanceof Failure) return new Ledger(':memory:');
    throw error;
  }
}

function ledgerAt(file: RunFlags['ledger'], flags: RunFlags, env: Environment): Ledger {
  if (!file) return new Ledger(':memory:');
  // A ledger that was deleted is not a loss, unlike one that was emptied.
  if (!existsSync(file)) forgetHead(ledgerHead(env, file));
  removeUnused(file, flags.out === undefined ? '--ledger' : '--out');
  const ledger = openLedger(env, file).keep();
  const other = ledger.fact('id');
  const loss = ledger.loss();
  if (loss?.isWhole) {
    ledger.close();
    throw lostLedger(file, loss);
  }
  if (other === undefined) return ledger;
  if (flags.out !== undefined && isUnsent(ledger)) {
    ledger.discard();
    return ledgerAt(file, flags, env);
  }
  const resume = boh.of(profileOf(ledger), 'runs resume', file);
  ledger.close();
  throw usage(`${file} is the ledger of another run, ${other}.`, {
    hint: boh.hint`To resume that run: ${resume}. For a new run, choose a file that doesn't exist.`,
  });
}

/** Deletes the head file of a ledger. If that fails, a new ledger may at worst report a loss of the earlier one. */
function forgetHead(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}

/** Whether a file is a plan as earlier versions saved it, in JSON: a new one takes its place. */
function isEarlierPlan(file: string): boolean {
  return readFileSync(file, 'utf8').startsWith('{\n "boh_plan": 1,');
}

/** Removes an empty file, as mktemp creates it, or an earlier plan. Throws if it is another file, such as a list of prices. */
function removeUnused(file: string, flag: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || isDatabase(file)) return;
  const isPlan = flag === '--out';
  if (!found.isFile() || (found.size > 0 && !(isPlan && isEarlierPlan(file)))) {
    const what = isPlan ? 'saved plan' : 'ledger';
    throw usage(`${flag} ${file}: this file isn't a ${what}.`, { hint: "Choose a file that doesn't exist." });
  }
  rmSync(file);
}
