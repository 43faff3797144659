/** `boh sandbox reset`: the demo business as on the first day, or nothing at all. */
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { Failure } from '../../errors.ts';
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
  await confirmReset(options, context);
  const [{ resetSandbox }, { api }] = await Promise.all([
    import('../../sandbox/service.ts'),
    import('../../resources/index.ts'),
  ]);
  const aside = await resetSandbox({ api, file: await fileOf(context, options), empty: options.empty });
  if (aside) note(context.streams, `The file that could not be used is now ${aside}`);
  const contents = options.empty ? 'empty' : 'with the demo business';
  note(context.streams, `The sandbox "${sandboxName(context, options)}" begins anew, ${contents}.`);
}

/** A person is asked, as all that they did there goes; a script has said what it wants by calling this. */
async function confirmReset(options: ResetOptions, context: Context): Promise<void> {
  const file = await fileOf(context, options);
  if (context.globals.yes || !context.streams.interactive || !existsSync(file)) return;
  const { confirm } = await import('../../terminal/prompts.ts');
  const message = `Begin the sandbox "${sandboxName(context, options)}" anew? All that was done in it goes.`;
  if (!(await confirm(context.streams, { message }))) throw new Failure('interrupted', 'Nothing was done.');
}
