/** `boh runs resume ID`: a run goes on where it stopped, at the same account. */

import { Command, Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { mask } from '../../base/mask.ts';
import { secretsAgain } from '../../bulk/plan/secrets-again.ts';
import type { Context } from '../../context/context.ts';
import { demandSecrets, secretsOfRun } from '../../manifest/apply/secrets.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { describeLedgerLoss, lostLedger } from '../../runs/ledger/loss.ts';
import { ownerOfRun, runAsFile } from '../../runs/ledger/owner.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { undoingOf } from '../../runs/ledger/undoing.ts';
import { resultOf } from '../../runs/result.ts';
import { accountInUse, demandOwner, demandOwnerToRead } from '../../session/file-owner.ts';
import type { TableShape } from '../../tables/failed-rows.ts';
import { note, warn } from '../../terminal/messages.ts';
import { checkRunFlags, withKept } from '../bulk/check-run-flags.ts';
import { checkFailed } from '../bulk/failed-place.ts';
import { lockRun, resourcesToCome } from '../bulk/lock-run.ts';
import { carriedOut } from '../bulk/run.ts';
import { addRunFlags, type RunFlags } from '../bulk/run-flags.ts';
import { runSession } from '../bulk/run-session.ts';
import { changesOf } from '../bulk/show-plan.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { changedSincePlanned } from '../history/changed-since-planned.ts';
import { prepare } from '../prepare.ts';
import { ledgerNamed } from './show.ts';

export function resumeCommand(context: Context): Command {
  const command = prepare(new Command('resume'))
    .argument('[run]', 'its id, or the file of its ledger')
    .usage('<run> [flags]')
    .description(
      'Go on with a run where it stopped. Rows of unknown outcome are looked up before they are sent again, and what somebody has changed since the run was planned is left as it is.',
    );
  addRunFlags(command);
  command.addOption(anyAccountOption());
  command.addOption(new Option('--failed <file>', 'write the rows that failed there, with the reason'));
  return command.action(
    presented(context, () => run(command.args[0], command.opts<RunFlags & AnyAccountFlag>(), context)),
  );
}

async function run(
  id: string | undefined,
  typed: RunFlags & AnyAccountFlag,
  context: Context,
): Promise<Result> {
  checkRunFlags(typed);
  const ledger = ledgerNamed(id, context).keep();
  let closeJournal: (() => void) | undefined;
  let closeFile: (() => Promise<void>) | undefined;
  const end = async () => {
    ledger.close();
    closeJournal?.();
    await closeFile?.();
  };
  try {
    const loss = ledger.loss();
    if (loss?.isWhole) throw lostLedger(ledger.file, loss);
    if (loss) warn(context.streams, describeLedgerLoss(ledger.file, loss));
    const owner = ownerOfRun(ledger);
    if (!owner) {
      throw usage('Nothing of this run was sent: it ended while it was planned.', { hint: 'Run it anew.' });
    }
    const file = { ...runAsFile(ledger), isAny: typed.anyAccount };
    if (context.globals.dryRun) {
      await demandOwnerToRead(owner, file, context);
      return leftToDo(ledger, context, end);
    }
    const flags = withKept(typed, ledger.fact('flags'));
    await checkFailed(flags.failed, { form: (ledger.fact('shape') as TableShape | undefined)?.form });
    const session = await runSession(context, flags);
    // Nothing of the ledger changes before.
    await demandOwner(session, owner, { ...file, env: context.env });
    ledger.recover();
    ledger.recoverLost();
    context.kept.undoing = undoingOf(ledger);
    demandKnownSecrets(ledger);
    demandSecrets(ledger, context.env);
    const command = `runs resume ${ledger.id ?? ''}`;
    ledger.lockedBy(
      await lockRun(
        { account: () => accountInUse(session), resources: resourcesToCome(ledger), flags, command },
        context,
      ),
    );
    const again = secretsOfRun(ledger, context.env) ? undefined : await secretsAgain(ledger, context.api);
    closeFile = again?.close;
    const changed = await changedSincePlanned(ledger, context);
    closeJournal = changed.close;
    return await carriedOut({
      ledger,
      session,
      flags,
      context,
      secretsOf: again?.secretsOf ?? secretsOfRun(ledger, context.env),
      whoChanged: changed.who,
      isPlannedBefore: true,
      isAnyAccount: typed.anyAccount,
      onEnd: end,
    });
  } catch (error) {
    await end();
    throw error;
  }
}

/** Throws `usage` with the secrets that rows which are left hold, where they aren't what they were when the run was planned. */
function demandKnownSecrets(ledger: Ledger): void {
  const missing = ledger.references.missing();
  if (missing.length === 0) return;
  // What can't be filled is covered.
  const isLacking = ({ steps }: LedgerRow) => JSON.stringify(steps).includes(mask);
  if (!ledger.rows('planned', 'sent', 'unknown').some(isLacking)) return;
  throw usage(
    `Rows of this run hold the value of ${missing.join(', ')}, which no ledger keeps, and which isn’t set to what it was; nothing was sent.`,
    {
      hint: 'Set it to the value that it had, and resume again; or start a new run with what is left.',
      outcome: 'not_sent',
    },
  );
}

/** What is not over yet, as it was planned. Nothing of the ledger changes. */
function leftToDo(ledger: Ledger, { streams }: Context, end: () => Promise<void>): Result {
  const states = ['planned', 'sent', 'unknown'] as const;
  note(
    streams,
    `${ledger.count(...states)} rows are left. What somebody has changed since they were planned will be left as it is.`,
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
      await end();
      return {};
    },
  };
}
