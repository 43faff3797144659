/** Before a run is undone: what the history lost of it is added from its ledger. */

import type { Context } from '../../context/context.ts';
import { Journal } from '../../history/journal/journal.ts';
import { headFileOf, journalFile } from '../../history/journal/place.ts';
import { completeRun } from '../../history/keeping/complete-run.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { begunAt, isRunId } from '../../runs/ledger/run-id.ts';
import { openRun, runIds } from '../../runs/ledger/runs.ts';
import { accountInUse, accountPlace, matchOwner } from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note, warn } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { hide } from './recording.ts';

/** The runs that a line may be about: the one that it names, those since a moment, or the newest. */
export function runsMeant(what: string | undefined, since: number | undefined, { env }: Context): string[] {
  if (what !== undefined) return isRunId(what) && runIds(env).includes(what) ? [what] : [];
  if (since === undefined) return runIds(env).slice(0, 1);
  return runIds(env).filter((id) => begunAt(id) >= since);
}

/** Answers whether anything was added. Runs of other accounts are left alone; of those that can't be read that is said. */
export async function completeHistory(runs: readonly string[], context: Context): Promise<boolean> {
  const settings = await context.settings();
  if (!settings.history.journal) return false;
  const place = accountPlace(settings);
  let isAny = false;
  for (const run of runs) {
    const ledger = openLedger(run, context);
    if (!ledger) continue;
    try {
      const owner = ownerOfRun(ledger);
      if (owner?.place !== place) continue;
      const session = await context.session();
      if (matchOwner(owner, await accountInUse(session)) !== 'own') continue;
      const journal = new Journal(journalFile(context.env, place), {
        hide,
        headFile: headFileOf(context.env, place),
      });
      try {
        const count = await completeRun({ journal, ledger, session, now: context.now().getTime() });
        if (count === 0) continue;
        const writes = count === 1 ? 'write' : 'writes';
        note(
          context.streams,
          `The history lacked ${numeral(count)} ${writes} of run ${run}: added from the ledger of the run.`,
        );
        isAny = true;
      } finally {
        journal.close();
      }
    } finally {
      ledger.close();
    }
  }
  return isAny;
}

function openLedger(run: string, { env, streams }: Context): Ledger | undefined {
  try {
    return openRun(env, run);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    warn(streams, `${error.message} Whether the history lacks writes of that run is not known.`);
    return undefined;
  }
}
