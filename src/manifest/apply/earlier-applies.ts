/** Applies of an account that were broken off: a later one has planned anew what they had left. */
import { endRun, openedRun } from '../../bulk/ledger/left-runs.ts';
import { runIds } from '../../bulk/ledger/runs.ts';
import type { Environment } from '../../environment.ts';

export const applyCommandName = 'apply';

/** Ends those that no process is at work on. */
export function endEarlierApplies(place: string, env: Environment): void {
  const left = runIds(env).filter((id) => {
    const ledger = openedRun(env, id);
    if (!ledger) return false;
    try {
      const isOurs = ledger.fact('command') === applyCommandName && ledger.fact('place') === place;
      return isOurs && ledger.fact('state') === 'unfinished' && !ledger.isBusy();
    } finally {
      ledger.close();
    }
  });
  for (const id of left) endRun(env, id);
}
