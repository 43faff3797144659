/** `boh blame RESOURCE ID`: lists each field of a record with the write that last set it. */

import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { lastWrites } from '../../history/blame.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { findRecord } from '../../prompts/find-record.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { openHistory } from './open-history.ts';
import { readFilter } from './read-filter.ts';
import { shownEntry } from './shown-entry.ts';

/** Builds the command. */
export function blameCommand(context: Context): Command {
  return prepare(new Command('blame'))
    .argument('<resource>', 'for example inventory-items')
    .argument('[id]', 'the ID, or @NAME; omit to be prompted')
    .usage('<resource> [id] [flags]')
    .description(
      'Show which write last set each field of a record. Only writes of boh from this machine are known.',
    )
    .examples('boh blame inventory-items @SKU-001', 'boh blame customers 42 -o json')
    .addOption(anyAccountOption('include writes of other accounts'))
    .action(
      presented(context, (resource: string, id: string | undefined, flags: AnyAccountFlag) =>
        run([resource, id], flags, context),
      ),
    );
}

/** Asks for the record. Throws `usage` if no one can be asked. */
async function missingId(word: string, context: Context): Promise<string> {
  const { resource: name } = await readFilter([word], {}, context);
  const resource = context.api.resource(name ?? '');
  if (!resource?.list || !canAsk(context))
    throw usage(`boh blame ${word} needs the ID of a record, or @NAME.`, {
      hint: boh.hint`To list the writes to all of them: ${boh.account('history', word)}`,
    });
  const found = await findRecord(context, resource, { message: `Which ${resource.noun}?` });
  if (!found) throw usage(`No ${resource.nouns} found.`);
  return found.id;
}

async function run(
  [word, given]: readonly [resource: string, id: string | undefined],
  flags: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const id = given ?? (await missingId(word, context));
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
    ifNone: 'No writes of boh to this record from this machine.',
  };
}
