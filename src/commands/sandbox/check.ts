/** `boh sandbox check`: looks at all of a sandbox’s file. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { present } from '../../interaction/output/present.ts';
import { prepare } from '../prepare.ts';
import { fileOf, type NamedOptions, nameOption, sandboxName } from './named.ts';

export function checkCommand(context: Context): Command {
  return prepare(new Command('check'))
    .description('Find out whether a sandbox’s file is whole. Ends with 8 where it is not.')
    .addOption(nameOption())
    .action((options: NamedOptions) => check(options, context));
}

async function check(options: NamedOptions, context: Context): Promise<void> {
  const { api, signal } = context;
  const name = await sandboxName(context, options);
  const file = await fileOf(context, { name });
  if (!existsSync(file)) throw usage(`There is no sandbox "${name}".`, { hint: `It would be ${file}.` });
  const { problemsOf } = await import('../../sandbox/check.ts');
  const problems = await problemsOf({ api, file, signal });
  const isWhole = problems.length === 0;
  const text = isWhole ? `The sandbox "${name}" is whole.` : problems.join('\n');
  await present(context, { kind: 'facts', facts: { name, file, is_whole: isWhole, problems }, text });
  if (isWhole) return;
  throw new Failure('unavailable', `The sandbox "${name}" is damaged.`, {
    hint: `boh sandbox reset --name ${name} sets ${file} aside and makes a new one; boh sandbox snapshot list shows what to go back to.`,
  });
}
