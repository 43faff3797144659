/** What a write still needs, asked for at the terminal, shown as a whole, and confirmed. */
import type { Row } from '../../client/shape.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { typedText } from '../../contract/text.ts';
import { validateBody } from '../../contract/validate.ts';
import { Failure, violations } from '../../errors.ts';
import { renderCard } from '../../terminal/card.ts';
import { chooseSeveral, confirm } from '../../terminal/prompts.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { missingFields } from '../input/missing-input.ts';
import { mask } from '../output/mask.ts';
import { askField, labelFor } from './ask-field.ts';
import { askIds } from './ask-ids.ts';

export interface Input {
  ids: readonly string[];
  body: Row;
}

/** Throws `interrupted` where the person ends it, and `usage` at once where what was given is wrong already. */
export async function askInput(context: Context, operation: Operation, given: Input): Promise<Input> {
  if (!context.globals.unchecked) refuseMistakes(operation, given.body);
  // Nobody fills in a form in vain.
  await (await context.session()).approve({ operation, ...given });
  const ids = await askIds(context, operation, given.ids);
  const known = new Map(
    Object.entries(given.body).map((entry) => [entry[0], givenAnswer(operation, ...entry)]),
  );
  const body = () => bodyOf(operation, known);

  const askFor = async (entry: BodyField, optional: boolean) => {
    context.signal.throwIfAborted();
    const answer = await askField(context, { ...entry, operation, body: body(), optional });
    if (answer) known.set(entry.name, answer);
  };
  for (const entry of missingFields(operation, given.body)) await askFor(entry, false);
  for (const entry of await chooseFields(context, operation, body())) await askFor(entry, true);

  if (!context.globals.yes) await confirmSummary(context, operation, known);
  return { ids, body: body() };
}

interface Known {
  value: unknown;
  shown: string;
}

/** In the document's order, whatever the order of the questions. */
function bodyOf(operation: Operation, known: ReadonlyMap<string, Known>): Row {
  const names = new Set([...operation.body.map(({ name }) => name), ...known.keys()]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const answer = known.get(name);
      return answer ? [[name, answer.value]] : [];
    }),
  );
}

/** Nobody should answer ten questions to be told then that a flag is wrong. */
function refuseMistakes(operation: Operation, body: Row): void {
  const missing = missingFields(operation, body).map(({ name }) => name);
  const mistakes = Object.entries(validateBody(operation, body)).filter(([name]) => !missing.includes(name));
  if (mistakes.length === 0) return;
  throw violations(
    `The input of ${operation.resource.command} ${operation.verb}`,
    Object.fromEntries(mistakes),
  );
}

function givenAnswer(operation: Operation, name: string, value: unknown): Known {
  const field = operation.body.find((entry) => entry.name === name)?.field;
  if (field?.traits.secret) return { value, shown: mask };
  if (value === null) return { value, shown: 'nothing' };
  return { value, shown: (field && typedText(field, value)) ?? JSON.stringify(value) };
}

/** The optional fields, offered once. Where nothing is given and nothing required there must be at least one. */
async function chooseFields(
  { streams, globals }: Context,
  operation: Operation,
  body: Row,
): Promise<readonly BodyField[]> {
  const left = operation.body.filter(({ name }) => !Object.hasOwn(body, name));
  const choices = left.map((entry) => ({
    value: entry,
    label: labelFor(entry.name),
    description: entry.field.traits.about ?? '',
  }));
  if (Object.keys(body).length === 0) {
    if (left.length === 1) return left;
    const action = operation.effect === 'update' ? 'change' : 'fill in';
    return chooseSeveral(streams, { message: `Which fields to ${action}?`, choices, required: true });
  }
  if (left.length === 0 || globals.yes) return [];
  if (!(await confirm(streams, { message: 'Add more fields?' }))) return [];
  return chooseSeveral(streams, { message: 'Which fields?', choices });
}

async function confirmSummary(
  { streams }: Context,
  { effect, resource }: Operation,
  known: ReadonlyMap<string, Known>,
): Promise<void> {
  const shown = Object.fromEntries([...known].map(([name, answer]) => [name, answer.shown]));
  const entries = Object.keys(shown).map((name) => ({ name, label: labelFor(name) }));
  const card = renderCard(entries, shown, { colour: streams.colour.err, unicode: streams.unicode });
  await write(streams.stderr, `\n${card}\n`);
  const message = effect === 'create' ? `Create this ${resource.noun}?` : 'Send this?';
  if (await confirm(streams, { message, initial: true })) return;
  throw new Failure('interrupted', 'Nothing was sent.');
}
