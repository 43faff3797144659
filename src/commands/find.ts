/** `boh find TEXT`: who or what is called so, of all kinds of record. */

import { Option } from 'commander';
import { usage } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { presented } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { findEverywhere } from '../prompts/find-everywhere.ts';
import { Command } from './command.ts';
import { listed, resourcesNamed } from './flags/resource-flag.ts';
import { prepare } from './prepare.ts';

export function findCommand(context: Context): Command {
  return prepare(new Command('find'))
    .description(
      'Look for a part of a name, or a whole code, phone number or email address, among records of all kinds.',
    )
    .argument('<text...>', 'what to look for')
    .addOption(new Option('--in <resources>', 'these alone, with commas between'))
    .action(presented(context, (words: string[], flags: { in?: string }) => run(words, flags.in, context)));
}

async function run(words: readonly string[], among: string | undefined, context: Context): Promise<Result> {
  const text = words.join(' ').trim();
  if (text === '') throw usage('There is nothing to look for.');
  if (context.globals.dryRun) throw usage('find only reads: there is nothing to rehearse.');
  const offer = listed(context.api);
  const given = among === undefined ? undefined : [among];
  const resources = (await resourcesNamed(given, '--in', offer, context.api)) ?? offer.among;
  const { found, asked, cut, notAllowed } = await findEverywhere(await context.session(), resources, text);
  return {
    kind: 'facts',
    facts: found,
    columns: [{ name: 'resource', whole: true }, { name: 'id', whole: true }, { name: 'name' }],
    key: 'id',
    ifNone: `No matches for "${text}".`,
    remarks: [
      `Asked ${asked.length} ${asked.length === 1 ? 'list' : 'lists'}: ${asked.join(', ')}.`,
      ...(cut.length > 0 ? [`Not all answers were read, there are too many: ${cut.join(', ')}.`] : []),
      ...(notAllowed.length > 0 ? [`The token does not allow to list ${notAllowed.join(', ')}.`] : []),
    ],
  };
}
