/** `boh blame RESOURCE ID`: each field of a record with the write that set it last. */
import type { Context } from '../../context/context.ts';
import { lastWrites } from '../../history/blame.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { openHistory } from './open-history.ts';
import { readFilter } from './read-filter.ts';
import { shownEntry } from './shown-entry.ts';

export function blameCommand(context: Context): Command {
  return prepare(new Command('blame'))
    .argument('<resource>', 'what it is a record of')
    .argument('<id>', 'its id; @NAME looks it up')
    .description('Show which write set each field of a record last, as far as it was written with boh.')
    .examples('boh blame inventory-items @SKU-001')
    .addOption(anyAccountOption())
    .action(
      presented(context, (resource: string, id: string, flags: AnyAccountFlag) =>
        run([resource, id], flags, context),
      ),
    );
}

async function run(
  [word, id]: readonly [resource: string, id: string],
  flags: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const filter = await readFilter([word, id], {}, context);
  const history = await openHistory(context, flags);
  const resource = context.api.resource(filter.resource ?? '');
  const found =
    history && resource && filter.id !== undefined
      ? lastWrites(history.journal, resource, filter.id, history.accounts)
      : [];
  return {
    kind: 'facts',
    facts: found.map(({ field, entry: { number } }) => ({ field, number })),
    key: 'number',
    shown: () =>
      found.map(({ field, entry }) => {
        const { at, user, profile, command } = shownEntry(entry);
        return { field, number: entry.number, at, by: user ?? profile, command };
      }),
    columns: [
      { name: 'field', whole: true },
      { name: 'number', align: 'right', whole: true },
      { name: 'at', whole: true },
      { name: 'by', rank: 1 },
      { name: 'command', rank: 1, least: 20 },
    ],
    ifNone: 'Nothing was written to it from here.',
  };
}
