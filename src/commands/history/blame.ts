/** `boh blame RESOURCE ID`: lists the fields of a record, each with the write that last set it. */

import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { lastWrites } from '../../history/blame.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { findRecord } from '../../prompts/find-record.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { entryToJson } from './entry-json.ts';
import { openHistory } from './open-history.ts';
import { parseEntryFilter } from './parse-filter.ts';

/** Returns the command `boh blame`. */
export function blameCommand(context: Context): Command {
  return prepare(new Command('blame'))
    .argument('<resource>', 'for example inventory-items')
    .argument('[id]', 'the ID, or @NAME; omit to be prompted')
    .usage('<resource> [id] [flags]')
    .description(
      'Show which write last set each field of a record. Includes only writes that boh sent from this machine.',
    )
    .examples('boh blame inventory-items @SKU-001', 'boh blame customers 42 -o json')
    .action(
      createAction(context, (resource: string, id: string | undefined) => run([resource, id], context)),
    );
}

/** Prompts for the record and returns its ID. Throws a usage failure if prompts aren't possible. */
async function promptForId(resourceName: string, context: Context): Promise<string> {
  const { resource: name } = await parseEntryFilter([resourceName], {}, context);
  const resource = context.api.resource(name ?? '');
  if (!resource?.list || !canAsk(context))
    throw usage(`boh blame ${resourceName} needs the ID of a record, or @NAME.`, {
      hint: boh.hint`To list the writes to all of them: ${boh.account('history', resourceName)}`,
    });
  const record = await findRecord(context, resource.name, { message: `Which ${resource.noun}?` });
  if (!record) throw usage(`No ${resource.nouns} found.`);
  return record.id;
}

async function run(
  [resourceName, idArgument]: readonly [resource: string, id: string | undefined],
  context: Context,
): Promise<Result> {
  const id = idArgument ?? (await promptForId(resourceName, context));
  const filter = await parseEntryFilter([resourceName, id], {}, context);
  const journal = await openHistory(context);
  const resource = context.api.resource(filter.resource ?? '');
  const writes =
    journal && resource && filter.id !== undefined ? lastWrites(journal, resource, filter.id) : [];
  return {
    kind: 'data',
    data: writes.map(({ field, entry: { number } }) => ({ field, number })),
    idField: 'number',
    dataForPeople: () =>
      writes.map(({ field, entry }) => {
        const { at, user, profile, command } = entryToJson(entry);
        return { field, number: entry.number, at, by: user ?? profile, command };
      }),
    columns: [
      { name: 'field', isIndivisible: true },
      { name: 'number', align: 'right', isIndivisible: true },
      { name: 'at', header: 'time', isIndivisible: true },
      { name: 'by', rank: 1 },
      { name: 'command', rank: 1, minWidth: 20 },
    ],
    emptyNote: 'No writes of boh to this record from this machine.',
  };
}
