/** `boh branches` and similar commands: list known records that the API has no list of. */
import type { Context } from '../context/context.ts';
import type { Reference } from '../contract/api.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';
import { commandOf } from './reference-names.ts';

/** Returns the command that lists the known records of a reference. */
export function referenceCommand(reference: Reference, context: Context): Command {
  const nouns = context.api.nounsOf(reference.name);
  return prepare(new Command(commandOf(reference.name)))
    .description(
      `List the known ${nouns} of the account. The API has no list of them; boh collects their names from the signed-in ` +
        'user and from responses that contain them.',
    )
    .action(createAction(context, () => run(reference, context)));
}

async function run({ name }: Reference, context: Context): Promise<Result> {
  const { api } = context;
  const nouns = api.nounsOf(name);
  const references = await (await context.session()).names.references(name);
  const listCommands = api.collections
    .filter(({ list, fields }) => list && Object.values(fields).some(({ traits }) => traits.target === name))
    .map(({ command }) => command);
  return {
    kind: 'data',
    data: references,
    columns: [{ name: 'id', isIndivisible: true }, { name: 'name' }],
    idField: 'id',
    emptyNote: `No known ${nouns} yet. Lists that contain them: ${listCommands.join(', ')}.`,
    notes:
      references.length === 0
        ? []
        : ['Collected from the signed-in user and from responses of the last month; there may be others.'],
  };
}
