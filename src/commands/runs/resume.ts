/** `boh runs resume ID`: a run goes on where it stopped, at the same account. */
import { Command } from 'commander';
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { placeOf } from '../../settings/settings.ts';
import { addRunFlags, type RunFlags } from '../bulk/import-flags.ts';
import { carriedOut } from '../bulk/run.ts';
import { prepare } from '../prepare.ts';
import { ledgerNamed } from './named.ts';

export function resumeCommand(context: Context): Command {
  const command = prepare(new Command('resume'))
    .argument('[id]', 'the run, or the file of its ledger')
    .usage('<id> [flags]')
    .description(
      'Go on with a run where it stopped. Rows of unknown outcome are looked up before they are sent again.',
    );
  addRunFlags(command);
  return command.action(presented(context, () => run(command.args[0], command.opts<RunFlags>(), context)));
}

async function run(id: string | undefined, flags: RunFlags, context: Context): Promise<Result> {
  const ledger = ledgerNamed(id, context).keep();
  try {
    await refuseElsewhere(ledger, context);
    const resource = context.api.resource(String(ledger.fact('resource')));
    if (!resource)
      throw usage(`The ledger is about ${ledger.fact('resource')}, which this version of boh doesn’t know.`);
    const session = await context.session();
    return await carriedOut({ ledger, resource, session, flags, context, onEnd: async () => ledger.close() });
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/** What was planned for one account is sent to no other. */
async function refuseElsewhere(ledger: Ledger, { settings }: Context): Promise<void> {
  const here = await settings();
  const place = ledger.fact('place');
  if (place === undefined) {
    throw new Failure('usage', 'Nothing of this run was sent: it stopped while it was planned.', {
      hint: 'Run it anew.',
    });
  }
  if (place === placeOf(here) + here.apiPrefix) return;
  const profile = ledger.fact('profile');
  const how = typeof profile === 'string' ? ` Add --profile ${profile}.` : '';
  throw usage(`This run is for ${place}, and the line is for ${placeOf(here)}${here.apiPrefix}.${how}`);
}
