/** What the links of a record carry: the lines of a count or an order as a sheet, what a supplier’s item says one by one. */
import type { Row } from '../../client/shape.ts';
import { isRow } from '../../client/shape.ts';
import { type BodyField, linkFields } from '../../contract/operation.ts';
import { ask } from '../../terminal/prompts.ts';
import { WentBack } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { type Answer, itemShown } from './answer.ts';
import { askSheet } from './ask-sheet.ts';
import { hintFor, type Lines } from './asked.ts';
import { labelOfField } from './question-order.ts';
import type { Found } from './record-entries.ts';
import { understand } from './understand.ts';

export async function askLines(context: Context, lines: Lines): Promise<Answer> {
  const { entry, found } = lines;
  const before = heldBy(lines);
  const { amount } = entry.field.traits;
  const fields = linkFields(entry.field);
  const isSheet =
    amount !== undefined && fields.every(({ name, mustBeGiven }) => name === amount || !mustBeGiven);
  const value = isSheet
    ? await askSheet(context, lines, amount, before)
    : await askEach(context, lines, fields, before);
  const shown = value.map((link) => itemShown(entry.field, link, found)).join(', ');
  return { value, shown: shown || 'nothing', found };
}

/** What the links say now, by id. */
function heldBy({ entry, present }: Lines): Map<string, Row> {
  const value = present.get(entry.name)?.value;
  const links = Array.isArray(value) ? value.filter(isRow) : [];
  return new Map(links.map((link) => [String(link.id), link]));
}

/** Several fields a link, of those that are new; what is linked already stays as it is. */
async function askEach(
  context: Context,
  lines: Lines,
  fields: readonly BodyField[],
  before: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const links = new Map(lines.found.map(({ id }) => [id, before.get(id) ?? { id }]));
  const open = lines.found
    .filter(({ id }) => !before.has(id))
    .flatMap((one) => fields.map((entry) => ({ one, entry })));
  for (let at = 0; at < open.length; at++) {
    const { one, entry } = open[at] ?? {};
    if (!one || !entry) break;
    const held = links.get(one.id) ?? { id: one.id };
    try {
      const value = await askLinkField(context, lines, one, entry, held[entry.name]);
      const { [entry.name]: _, ...others } = held;
      links.set(one.id, value === undefined ? others : { ...others, [entry.name]: value });
    } catch (error) {
      if (!(error instanceof WentBack) || at === 0) throw error;
      at -= 2;
    }
  }
  return [...links.values()];
}

async function askLinkField(
  context: Context,
  lines: Lines,
  { label }: Found,
  entry: BodyField,
  held: unknown,
): Promise<unknown> {
  const { field, mustBeGiven } = entry;
  const what = labelOfField(entry);
  const read = (text: string) => understand(field, text, { now: context.now() });
  const validate = (text: string) => {
    if (text.trim() === '') return mustBeGiven ? `${what} is needed.` : undefined;
    const { problem } = read(text);
    return problem === undefined ? undefined : `${what} ${problem}.`;
  };
  const text = await ask(context.streams, {
    message: `${label}: ${what}`,
    hint: hintFor(field, { operation: lines.operation, entry, unit: field.traits.unit }),
    canGoBack: true,
    initial: held === undefined ? '' : String(held),
    validate,
    understood: (text) => (text.trim() === '' ? undefined : read(text).shown),
  });
  return text.trim() === '' ? undefined : read(text).value;
}
