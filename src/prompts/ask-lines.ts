/** Asks for the fields of links: a sheet if each link has one number, else field by field. */

import { isRow, type Row } from '../client/shape.ts';
import type { Context } from '../context/context.ts';
import type { Field } from '../contract/field.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import { inputText } from '../contract/text.ts';
import { capitalized } from '../contract/wording.ts';
import { headerOf } from '../output/records-for-people.ts';
import { type Answer, emptyText, itemShown } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';
import { fillInEditor } from './editing/edit-sheet.ts';
import { labelOfField } from './question-order.ts';
import type { Found } from './record-entries.ts';
import { hintFor, type Lines, problemWith } from './step-context.ts';
import { askField, fillSheet } from './terminal/prompts.ts';
import { type SheetQuestion, WentBack } from './terminal/questions.ts';
import { interpret } from './understand.ts';

/** Asks for the fields of the links to `found` and returns the links as one answer. */
export async function askLines(context: Context, lines: Lines): Promise<Answer> {
  const { entry, found } = lines;
  const before = presentLinks(lines);
  const { amount } = entry.field.traits;
  const fields = linkFields(entry.field);
  const isSheet =
    amount !== undefined && fields.every(({ name, mustBeGiven }) => name === amount || !mustBeGiven);
  const value = isSheet
    ? await askSheet(context, lines, amount, before)
    : await askEach(context, lines, fields, before);
  const shown = value.map((link) => itemShown(entry.field, link, found)).join(', ');
  return { value, shown: shown || emptyText, found };
}

/** Returns the present links by id. */
function presentLinks({ entry, present }: Lines): Map<string, Row> {
  const value = present.get(entry.name)?.value;
  const links = Array.isArray(value) ? value.filter(isRow) : [];
  return new Map(links.map((link) => [String(link.id), link]));
}

/** Asks for each field of new links; present links stay unchanged. */
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
    const values = links.get(one.id) ?? { id: one.id };
    try {
      const value = await askLinkField(context, lines, one, entry, values[entry.name]);
      const { [entry.name]: _, ...others } = values;
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
  values: unknown,
): Promise<unknown> {
  const { field, mustBeGiven } = entry;
  const what = labelOfField(entry);
  const read = (text: string) => interpret(field, text, { now: context.now() });
  const validate = (text: string) => {
    if (text.trim() === '') return mustBeGiven ? `${what} is required.` : undefined;
    const { problem } = read(text);
    return problem === undefined ? undefined : `${what} ${problem}.`;
  };
  const text = await askField(context.streams, {
    message: `${label}: ${what}`,
    hint: hintFor(field, { operation: lines.operation, entry, unit: field.traits.unit }),
    canGoBack: true,
    initial: values === undefined ? '' : String(values),
    validate,
    understood: (text) => (text.trim() === '' ? undefined : read(text).shown),
  });
  return text.trim() === '' ? undefined : read(text).value;
}

/** Asks for one amount per link. `before` holds the present links by id. */
async function askSheet(
  context: Context,
  lines: Lines,
  amount: string,
  before: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const { entry, found, draft, lineProblems } = lines;
  const field = entry.field.traits.pivot?.[amount];
  if (!field || found.length === 0) return found.map(({ id }) => ({ id }));
  const reader = readerOf(context, lines, field, amount);
  const columns = columnsBeside(lines, await lines.earlier(entry));
  const question = {
    message: `${labelOfField(entry)}: ${headerOf(amount)} for each`,
    hint: hintFor(field, { unit: field.traits.unit }),
    problem: lines.problem,
    canGoBack: lines.canGoBack,
    header: headerOf(amount),
    columns: columns.map(({ header }) => header),
    rows: found.map((one) => ({
      id: one.id,
      label: one.label,
      cells: columns.map(({ cell }) => cell(one)),
      initial: draft.texts?.get(one.id) ?? textOf(field, before.get(one.id)?.[amount]),
      problem: lineProblems?.get(one.id),
    })),
    validate: reader.problemIn,
    mayBeEmpty: !entry.mustBeGiven,
    onLeave: (texts: readonly string[]) => {
      draft.texts = new Map(found.map(({ id }, row) => [id, texts[row] ?? '']));
    },
  };
  const texts = await (lines.sheet === 'editor'
    ? inEditor(context, lines, question)
    : fillSheet(context.streams, question));
  draft.texts = undefined;
  return found.flatMap(({ id }, row) => {
    const text = texts[row] ?? '';
    if (lines.sheet && text.trim() === '') return [];
    const { [amount]: _, ...values } = before.get(id) ?? {};
    return { ...values, id, ...(text.trim() !== '' && { [amount]: reader.read(text, row).value }) };
  });
}

async function inEditor(context: Context, { operation }: Lines, question: SheetQuestion): Promise<string[]> {
  return fillInEditor(context, operation.resource.one, question);
}

function textOf(field: Field, values: unknown): string {
  return values === undefined || values === null ? '' : (inputText(field, values) ?? String(values));
}

/** Returns functions that read and check the text of a row. */
function readerOf(context: Context, lines: Lines, field: Field, amount: string) {
  const { entry, found } = lines;
  const label = capitalized(headerOf(amount));
  const read = (text: string, row: number) =>
    interpret(field, text, { now: context.now(), unit: unitOfLine(lines, found[row]) });
  const problemIn = (text: string, row: number): string | undefined => {
    if (text.trim() === '') {
      return field.traits.required && !lines.sheet
        ? `${label} of ${found[row]?.label} is required.`
        : undefined;
    }
    const { value, problem } = read(text, row);
    if (problem !== undefined) return `${label} ${problem}.`;
    return problemWith(lines, entry.name, label, [{ id: found[row]?.id, [amount]: value }]);
  };
  return { read, problemIn };
}

function unitOfLine({ entry }: Lines, one: Found | undefined): string | undefined {
  const { unitFrom } = entry.field.traits;
  const unit = unitFrom === undefined ? undefined : one?.record?.[unitFrom];
  return typeof unit === 'string' ? unit : undefined;
}

interface Column {
  header: string;
  cell(one: Found): string;
}

/** Returns the columns next to the amounts: the unit, other fields of each record, the number of the earlier lines. */
function columnsBeside({ entry }: Lines, before: EarlierLines | undefined): Column[] {
  const { unitFrom, shownWith: beside = [], previous: earlier } = entry.field.traits;
  const names = [...(unitFrom === undefined ? [] : [unitFrom]), ...beside];
  const last: Column[] =
    before === undefined
      ? []
      : [{ header: earlier?.label ?? '', cell: ({ id }) => String(before.numbers.get(id) ?? '') }];
  const others = names.map((name) => ({
    header: name === unitFrom ? 'unit' : headerOf(name),
    cell: ({ record }: Found) => {
      const value = record?.[name];
      return value === undefined || value === null ? '' : String(value);
    },
  }));
  return [...others, ...last];
}
