/** `boh runs resume ID`: a run goes on where it stopped, at the same account. */
import { Command, Option } from 'commander';
import type { TableShape } from '../../bulk/tables/failed-rows.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { applyCommandName, holdAccount } from '../../manifest/apply/account-hold.ts';
import { secretsOfRun } from '../../manifest/apply/secrets.ts';
import { checkRunFlags, withKept } from '../bulk/check-run-flags.ts';
import { refuseOtherForm } from '../bulk/failed-form.ts';
import { carriedOut } from '../bulk/run.ts';
import { addRunFlags, type RunFlags } from '../bulk/run-flags.ts';
import { runSession } from '../bulk/run-session.ts';
import { prepare } from '../prepare.ts';
import { ledgerNamed } from './named.ts';

export function resumeCommand(context: Context): Command {
  const command = prepare(new Command('resume'))
    .argument('[run]', 'its id, or the file of its ledger')
    .usage('<run> [flags]')
    .description(
      'Go on with a run where it stopped. Rows of unknown outcome are looked up before they are sent again.',
    );
  addRunFlags(command);
  command.addOption(new Option('--failed <file>', 'write the rows that failed there, with the reason'));
  return command.action(presented(context, () => run(command.args[0], command.opts<RunFlags>(), context)));
}

async function run(id: string | undefined, typed: RunFlags, context: Context): Promise<Result> {
  checkRunFlags(typed);
  const ledger = ledgerNamed(id, context).keep();
  let held: { release(): void } | undefined;
  const end = () => {
    ledger.close();
    held?.release();
  };
  try {
    if (ledger.fact('place') === undefined) {
      throw usage('Nothing of this run was sent: it ended while it was planned.', { hint: 'Run it anew.' });
    }
    // An apply that begins meanwhile would take it for one that was left.
    if (ledger.fact('command') === applyCommandName) {
      held = holdAccount({ place: ledger.fact('place'), business: ledger.fact('business') }, context.env);
    }
    const flags = withKept(typed, ledger.fact('flags'));
    refuseOtherForm(flags.failed, (ledger.fact('shape') as TableShape | undefined)?.form);
    ledger.recover();
    context.kept.undoing = ledger.fact('undoing') as Context['kept']['undoing'];
    const session = await runSession(context, flags);
    const secretsOf = secretsOfRun(ledger, context.env);
    return await carriedOut({
      ledger,
      session,
      flags,
      context,
      secretsOf,
      onEnd: async () => end(),
    });
  } catch (error) {
    end();
    throw error;
  }
}
