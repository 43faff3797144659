/** `boh find TEXT`: searches records of all resources. */

import { Option } from 'commander';
import { usage } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { searchAllResources } from '../prompts/find-everywhere.ts';
import { Command } from './command.ts';
import { listableResources, resolveResources } from './flags/shared-flags.ts';
import { prepare } from './prepare.ts';

/** Returns the command `boh find`. */
export function findCommand(context: Context): Command {
  return prepare(new Command('find'))
    .description(
      'Search records of all resources by part of a name, or by a complete code, phone number or email address.',
    )
    .argument('<text...>', 'the text to search for')
    .addOption(new Option('--in <resources>', 'search only these resources, separated by commas'))
    .examples('boh find Huda', 'boh find 555000222 --in customers,suppliers')
    .action(
      createAction(context, (words: string[], flags: { in?: string }) => run(words, flags.in, context)),
    );
}

/** Names the searched lists if they are few. */
function describeSearch(lists: readonly string[]): string {
  const names = lists.length <= 5 ? `: ${lists.join(', ')}` : '';
  return `Searched ${lists.length} ${lists.length === 1 ? 'list' : 'lists'}${names}.`;
}

async function run(words: readonly string[], inFlag: string | undefined, context: Context): Promise<Result> {
  const text = words.join(' ').trim();
  if (text === '') throw usage('Missing the text to search for.');
  const listable = listableResources(context.api);
  const resourceNames = inFlag === undefined ? undefined : [inFlag];
  const resources =
    (await resolveResources(resourceNames, '--in', listable, context.api)) ?? listable.allowed;
  const { matches, searched, incomplete, notAllowed, refused } = await searchAllResources(
    await context.session(),
    resources,
    text,
  );
  return {
    kind: 'data',
    data: matches,
    columns: [
      { name: 'resource', isIndivisible: true },
      { name: 'id', isIndivisible: true },
      { name: 'name' },
    ],
    idField: 'id',
    emptyNote: `No matches for "${text}".`,
    notes: [
      describeSearch(searched),
      ...(incomplete.length > 0 ? [`Too many matches, not all are shown: ${incomplete.join(', ')}.`] : []),
      ...(notAllowed.length > 0
        ? [`Skipped, because the token doesn't allow it: ${notAllowed.join(', ')}.`]
        : []),
      ...refused.map((reason) => `Skipped: ${reason}`),
    ],
  };
}
