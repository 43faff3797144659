/** Applies of an account that were broken off: a later one has planned anew what they had left. */
import type { Environment } from '../../base/environment.ts';
import { endRun, openedRun } from '../../runs/ledger/left-runs.ts';
import { isOwnRun } from '../../runs/ledger/owner.ts';
import { runIds } from '../../runs/ledger/runs.ts';
import type { AccountInUse } from '../../session/file-owner.ts';

export const applyCommandName = 'apply';

/** Ends those of the account in use that no process is at work on. Those that may be another account's are left alone. */
export function endEarlierApplies(account: AccountInUse, env: Environment): void {
  const left = runIds(env).filter((id) => {
    const ledger = openedRun(env, id);
    if (!ledger) return false;
    try {
      const isOurs = ledger.fact('command') === applyCommandName && isOwnRun(ledger, account);
      return isOurs && ledger.fact('state') === 'unfinished' && !ledger.isBusy();
    } finally {
      ledger.close();
    }
  });
  for (const id of left) endRun(env, id);
}
