/** `boh branches` and the like: the records that the API has no list of, as far as the account is known to have them. */
import type { Context } from '../context/context.ts';
import type { Reference } from '../contract/api.ts';
import { presented } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';
import { commandOf } from './reference-names.ts';

export function referenceCommand(reference: Reference, context: Context): Command {
  const nouns = context.api.nounsOf(reference.name);
  return prepare(new Command(commandOf(reference.name)))
    .description(
      `List the ${nouns} that the account is known to have. The API has no list of them: their names are learned ` +
        'from who is signed in, and from answers that show them.',
    )
    .action(presented(context, () => run(reference, context)));
}

async function run({ name, one }: Reference, context: Context): Promise<Result> {
  const { api } = context;
  const facts = await (await context.session()).references(name);
  const shownBy = api.collections
    .filter(({ list, fields }) => list && Object.values(fields).some(({ traits }) => traits.target === name))
    .map(({ command }) => command);
  return {
    kind: 'facts',
    facts,
    columns: [{ name: 'id', whole: true }, { name: 'name' }],
    key: 'id',
    ifNone: `No ${one} is known yet. Answers that show them: ${shownBy.join(', ')}.`,
    remarks:
      facts.length === 0
        ? []
        : ['Learned from who is signed in and from answers of the last month; there may be others.'],
  };
}
