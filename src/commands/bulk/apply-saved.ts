/** `boh apply --plan FILE`: applies a plan that another command saved in a ledger. */
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { refuseBegun } from '../../runs/ledger/runs.ts';
import { refuseChanged } from '../../runs/recheck-rows.ts';
import { ReferenceResolver } from '../../runs/reference-resolver.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { reopenRun } from './reopen-run.ts';
import type { RunFlags } from './run-flags.ts';
import { runPlan } from './run-plan.ts';
import { readSavedParts } from './saved-plan.ts';

/**
 * Shows a saved plan, asks for confirmation, and applies it. Throws `usage` if the plan belongs to another account or was
 * already applied, or if records have changed since it was saved.
 */
export async function applySavedPlan(
  file: string,
  flags: RunFlags & AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const ledger = new Ledger(file).acquireLock();
  let close: (() => Promise<void>) | undefined;
  try {
    const { words, ...parts } = readSavedParts(ledger);
    refuseBegun(context.env, ledger);
    const owner = ownerOfRun(ledger);
    if (!owner) throw new Error(`The plan ${file} has no account.`);
    const namedFile = {
      label: file,
      kind: 'plan',
      override: 'Plan again for the account in use. To apply it anyway: --any-account',
      isOverridden: flags.anyAccount,
    };
    const run = await reopenRun({ ledger, owner, file: namedFile, flags, command: 'apply --plan' }, context);
    close = run.close;
    const { session, secretsOf, describeChange } = run;
    await refuseChanged({ ledger, session, resolver: new ReferenceResolver(ledger), describeChange });
    return await runPlan(
      {
        ...parts,
        words,
        ledger,
        session,
        flags: run.flags,
        isKept: true,
        isAnyAccount: flags.anyAccount,
        secretsOf: () => secretsOf,
        close,
      },
      context,
    );
  } catch (error) {
    ledger.close();
    await close?.();
    throw error;
  }
}
