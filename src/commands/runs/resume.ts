/** `boh runs resume ID`: resumes a run where it stopped, in the same account. */

import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun, runLabel } from '../../runs/ledger/owner.ts';
import { isUnsent } from '../../runs/ledger/runs.ts';
import { resultOf } from '../../runs/result.ts';
import { requireOwnerToRead } from '../../session/file-owner.ts';
import { note } from '../../terminal/messages.ts';
import { reopenRun } from '../bulk/reopen-run.ts';
import { startRun } from '../bulk/run.ts';
import { addRunFlags, failedOption, type RunFlags } from '../bulk/run-flags.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { changesOf } from '../bulk/show-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { pickRun } from './pick-run.ts';
import { openRunLedger } from './show.ts';

/** Returns the command `boh runs resume`. */
export function resumeCommand(context: Context): Command {
  const command = prepare(new Command('resume').withDryRun())
    .argument('[run]', 'the ID of the run, or its ledger file; omit to be prompted')
    .usage('[run] [flags]')
    .description(
      'Resume a run where it stopped. Rows with an unknown outcome are checked before they are sent again. Records that changed since the run was planned are skipped.',
    );
  command.examples(
    'boh runs resume 20261124-100000-042k3f9ab --dry-run',
    'boh runs resume 20261124-100000-042k3f9ab --failed failed.csv',
  );
  addRunFlags(command);
  command.addOption(failedOption());
  command.addOption(anyAccountOption('resume a run of another account in this one'));
  return command.action(
    createAction(context, () => run(command.args[0], command.opts<RunFlags & AnyAccountFlag>(), context)),
  );
}

async function run(
  runName: string | undefined,
  requestedFlags: RunFlags & AnyAccountFlag,
  context: Context,
): Promise<Result> {
  checkRunFlags(requestedFlags);
  const id = runName ?? (canAsk(context) ? await pickRun('resume', context) : undefined);
  const ledger = openRunLedger(id, context).acquireLock();
  let close: (() => Promise<void>) | undefined;
  const closeRun = async () => {
    ledger.close();
    await close?.();
  };
  try {
    const owner = ownerOfRun(ledger);
    if (!owner) {
      throw usage("This run can't be resumed: it stopped during planning, and nothing was sent.", {
        hint: 'Run the command again.',
      });
    }
    if (isUnsent(ledger)) {
      const hint = boh.hint`To review and apply it: ${boh.account('apply', '--plan', ledger.file)}`;
      throw usage(`${ledger.file} is a saved plan that was not applied.`, { hint });
    }
    const file = { ...runLabel(ledger), isOverridden: requestedFlags.anyAccount };
    if (context.globals.dryRun) {
      await requireOwnerToRead(owner, file, context);
      return remainingRows(ledger, context, closeRun);
    }
    const command = `runs resume ${ledger.id ?? ''}`;
    const reopenedRun = await reopenRun({ ledger, owner, file, flags: requestedFlags, command }, context);
    const { session, flags, secretsOf, describeChange } = reopenedRun;
    close = reopenedRun.close;
    const isAnyAccount = requestedFlags.anyAccount;
    const options = { secretsOf, describeChange, isPlannedBefore: true, isAnyAccount, onEnd: closeRun };
    return await startRun({ ledger, session, flags, context, ...options });
  } catch (error) {
    await closeRun();
    throw error;
  }
}

/** Returns the remaining rows with their planned changes. The ledger isn't changed. */
function remainingRows(ledger: Ledger, { streams }: Context, closeRun: () => Promise<void>): Result {
  const states = ['planned', 'sent', 'unknown'] as const;
  note(
    streams,
    `${ledger.count(...states)} rows remain. Records that changed since the run was planned will be skipped.`,
  );
  async function* rows() {
    for (const row of ledger.rows(...states)) yield { ...resultOf(row), changes: changesOf(row) };
  }
  return {
    kind: 'run',
    isReading: true,
    hasResources: ledger.hasResources(),
    rows: rows(),
    end: async () => {
      await closeRun();
      return {};
    },
  };
}
