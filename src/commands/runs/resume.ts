/** `boh runs resume ID`: a run goes on where it stopped, at the same account. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { describeLedgerLoss, lostLedger } from '../../runs/ledger/loss.ts';
import { ownerOfRun, runAsFile } from '../../runs/ledger/owner.ts';
import { isUnsent } from '../../runs/ledger/runs.ts';
import { resultOf } from '../../runs/result.ts';
import { demandOwnerToRead } from '../../session/file-owner.ts';
import { note, warn } from '../../terminal/messages.ts';
import { reopenRun } from '../bulk/reopen-run.ts';
import { carriedOut } from '../bulk/run.ts';
import { addRunFlags, type RunFlags } from '../bulk/run-flags.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { changesOf } from '../bulk/show-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
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
  let close: (() => Promise<void>) | undefined;
  const end = async () => {
    ledger.close();
    await close?.();
  };
  try {
    const loss = ledger.loss();
    if (loss?.isWhole) throw lostLedger(ledger.file, loss);
    if (loss) warn(context.streams, describeLedgerLoss(ledger.file, loss));
    const owner = ownerOfRun(ledger);
    if (!owner) {
      throw usage('Nothing of this run was sent: it ended while it was planned.', { hint: 'Run it anew.' });
    }
    if (isUnsent(ledger)) {
      const hint = boh.hint`To review it and carry it out: ${boh.account('apply', '--plan', ledger.file)}`;
      throw usage(`${ledger.file} is a saved plan, of which nothing was sent.`, { hint });
    }
    const file = { ...runAsFile(ledger), isAny: typed.anyAccount };
    if (context.globals.dryRun) {
      await demandOwnerToRead(owner, file, context);
      return leftToDo(ledger, context, end);
    }
    const command = `runs resume ${ledger.id ?? ''}`;
    const reopened = await reopenRun({ ledger, owner, file, flags: typed, command }, context);
    const { session, flags, secretsOf, who: whoChanged } = reopened;
    close = reopened.close;
    const isAnyAccount = typed.anyAccount;
    const going = { secretsOf, whoChanged, isPlannedBefore: true, isAnyAccount, onEnd: end };
    return await carriedOut({ ledger, session, flags, context, ...going });
  } catch (error) {
    await end();
    throw error;
  }
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
