/** `boh sandbox reset`: the demo business as on the first day, or nothing at all. */
import { Command, Option } from 'commander';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';
import { fileOf, type NamedOptions, nameOption, sandboxName } from './named.ts';

interface ResetOptions extends NamedOptions {
  empty?: boolean;
}

export function resetCommand(context: Context): Command {
  return prepare(new Command('reset'))
    .description('Begin a sandbox anew, with the demo business. A damaged file is set aside.')
    .addOption(new Option('--empty', 'without the demo business: only the owner is there'))
    .addOption(nameOption())
    .action((options: ResetOptions) => reset(options, context));
}

async function reset(options: ResetOptions, context: Context): Promise<void> {
  const { resetSandbox } = await import('../../sandbox/service.ts');
  const aside = await resetSandbox({ file: await fileOf(context, options), empty: options.empty });
  if (aside) note(context.streams, `The file that could not be used is now ${aside}`);
  const contents = options.empty ? 'empty' : 'with the demo business';
  note(context.streams, `The sandbox "${sandboxName(context, options)}" begins anew, ${contents}.`);
}
