/** What the links of a record carry: the lines of a count or an order as a sheet, what a supplier’s item says one by one. */
import type { Row } from '../../client/shape.ts';
import { isRow } from '../../client/shape.ts';
import { type BodyField, linkFields } from '../../contract/operation.ts';
import { typedText } from '../../contract/text.ts';
import { ask, fillSheet } from '../../terminal/prompts.ts';
import { WentBack } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { headerOf } from '../output/record-words.ts';
import { type Answer, itemShown } from './answer.ts';
import { type AskedField, hintFor, problemWith } from './asked.ts';
import { labelOfField } from './question-order.ts';
import type { Found } from './record-entries.ts';
import { understand } from './understand.ts';

export interface Lines extends AskedField {
  entry: BodyField;
  /** The records at the other end. */
  found: readonly Found[];
}

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

/** One number a line, with what a person wants to know of each beside it. */
async function askSheet(
  context: Context,
  lines: Lines,
  amount: string,
  before: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const { entry, found } = lines;
  if (found.length === 0) return [];
  const { pivot = {}, unitFrom, beside = [] } = entry.field.traits;
  const field = pivot[amount];
  if (!field) return found.map(({ id }) => ({ id }));
  const unitOf = ({ record }: Found) => {
    const unit = unitFrom === undefined ? undefined : record?.[unitFrom];
    return typeof unit === 'string' ? unit : undefined;
  };
  const read = (text: string, row: number) => {
    const one = found[row];
    return understand(field, text, { now: context.now(), unit: one && unitOf(one) });
  };
  const label = headerOf(amount);
  const capital = label.charAt(0).toUpperCase() + label.slice(1);
  const texts = await fillSheet(context.streams, {
    message: `${labelOfField(entry)}: ${label} of each`,
    hint: hintFor(field),
    problem: lines.problem,
    canGoBack: true,
    header: label,
    rows: found.map((one) => {
      const held = before.get(one.id)?.[amount];
      return {
        label: one.label,
        aside: asideOf(one, unitOf(one), beside),
        initial: held === undefined || held === null ? '' : (typedText(field, held) ?? String(held)),
      };
    }),
    validate: (text, row) => {
      if (text.trim() === '')
        return field.traits.required && !lines.isSheet
          ? `${capital} of ${found[row]?.label} is needed.`
          : undefined;
      const { value, problem } = read(text, row);
      if (problem !== undefined) return `${capital} ${problem}.`;
      return problemWith(lines, entry.name, capital, [{ id: found[row]?.id, [amount]: value }]);
    },
  });
  return found.flatMap(({ id }, row) => {
    const text = texts[row] ?? '';
    if (lines.isSheet && text.trim() === '') return [];
    const { [amount]: _, ...held } = before.get(id) ?? {};
    return { ...held, id, ...(text.trim() !== '' && { [amount]: read(text, row).value }) };
  });
}

/** `kg · par level 30 · cost 4.5` */
function asideOf({ record = {} }: Found, unit: string | undefined, beside: readonly string[]): string {
  const others = beside.flatMap((name) => {
    const value = record[name];
    if (value === undefined || value === null || value === '') return [];
    // A unit says by itself what it is.
    return [
      typeof value === 'number' || /^[\d.-]+$/.test(String(value))
        ? `${headerOf(name)} ${value}`
        : String(value),
    ];
  });
  return [...(unit === undefined ? [] : [unit]), ...others].join(' · ');
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
  const validate = (text: string) => {
    if (text.trim() === '') return mustBeGiven ? `${what} is needed.` : undefined;
    const { problem } = understand(field, text, { now: context.now() });
    return problem === undefined ? undefined : `${what} ${problem}.`;
  };
  const text = await ask(context.streams, {
    message: `${label}: ${what}`,
    hint: hintFor(field, lines.operation, entry),
    canGoBack: true,
    initial: held === undefined ? '' : String(held),
    validate,
  });
  return text.trim() === '' ? undefined : understand(field, text, { now: context.now() }).value;
}
