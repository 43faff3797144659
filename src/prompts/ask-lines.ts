/** Asks for the fields of links: in a sheet if each link has one number, otherwise field by field. */

import { isRow, type Row } from '../client/shape.ts';
import type { Context } from '../context/context.ts';
import type { Field } from '../contract/field.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import { formatInput } from '../contract/value-text.ts';
import { capitalize } from '../contract/wording.ts';
import { headerOf } from '../output/records-for-people.ts';
import { type Answer, emptyText, formatItem } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';
import { parseAnswer } from './parse-answer.ts';
import { labelOfField } from './question-order.ts';
import type { NamedRecord } from './record-entries.ts';
import { hintFor, type LinesContext, validateAnswer } from './step-context.ts';
import { askField, fillSheet } from './terminal/prompts.ts';
import { BackRequested } from './terminal/questions.ts';

/** Asks for the fields of the links to `lines.records` and returns the links as one answer. */
export async function askLines(context: Context, lines: LinesContext): Promise<Answer> {
  const { entry, records } = lines;
  const currentLinks = currentLinksOf(lines);
  const { amountField } = entry.field.traits;
  const fields = linkFields(entry.field);
  const isSheet =
    amountField !== undefined && fields.every(({ name, mustBeSent }) => name === amountField || !mustBeSent);
  const value = isSheet
    ? await askSheet(context, lines, amountField, currentLinks)
    : await askFieldByField(context, lines, fields, currentLinks);
  const display = value.map((link) => formatItem(entry.field, link, records)).join(', ');
  return { value, display: display || emptyText, records };
}

/** Returns the current links by ID. */
function currentLinksOf({ entry, currentAnswers }: LinesContext): Map<string, Row> {
  const value = currentAnswers.get(entry.name)?.value;
  const links = Array.isArray(value) ? value.filter(isRow) : [];
  return new Map(links.map((link) => [String(link.id), link]));
}

/** Asks for each field of new links. The current links stay unchanged. */
async function askFieldByField(
  context: Context,
  lines: LinesContext,
  fields: readonly BodyField[],
  currentLinks: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const links = new Map(lines.records.map(({ id }) => [id, currentLinks.get(id) ?? { id }]));
  const openQuestions = lines.records
    .filter(({ id }) => !currentLinks.has(id))
    .flatMap((record) => fields.map((entry) => ({ record, entry })));
  for (let index = 0; index < openQuestions.length; index++) {
    const { record, entry } = openQuestions[index] ?? {};
    if (!record || !entry) break;
    const values = links.get(record.id) ?? { id: record.id };
    try {
      const value = await askLinkField(context, lines, record, entry, values[entry.name]);
      const { [entry.name]: _, ...otherValues } = values;
      links.set(record.id, value === undefined ? otherValues : { ...otherValues, [entry.name]: value });
    } catch (error) {
      if (!(error instanceof BackRequested) || index === 0) throw error;
      index -= 2;
    }
  }
  return [...links.values()];
}

async function askLinkField(
  context: Context,
  lines: LinesContext,
  { label }: NamedRecord,
  entry: BodyField,
  initialValue: unknown,
): Promise<unknown> {
  const { field, mustBeSent } = entry;
  const fieldLabel = labelOfField(entry);
  const parse = (text: string) => parseAnswer(field, text, { now: context.now() });
  const validate = (text: string) => {
    if (text.trim() === '') return mustBeSent ? `${fieldLabel} is required.` : undefined;
    const { problem } = parse(text);
    return problem === undefined ? undefined : `${fieldLabel} ${problem}.`;
  };
  const text = await askField(context.streams, {
    message: `${label}: ${fieldLabel}`,
    hint: hintFor(field, { operation: lines.operation, entry, unit: field.traits.unit }),
    canGoBack: true,
    initial: initialValue === undefined ? '' : String(initialValue),
    validate,
    previewValue: (text) => (text.trim() === '' ? undefined : parse(text).display),
  });
  return text.trim() === '' ? undefined : parse(text).value;
}

/** Asks for one amount per link. `currentLinks` contains the current links by ID. */
async function askSheet(
  context: Context,
  lines: LinesContext,
  amountField: string,
  currentLinks: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const { entry, records, draft, lineProblems } = lines;
  const field = entry.field.traits.pivot?.[amountField];
  if (!field || records.length === 0) return records.map(({ id }) => ({ id }));
  const reader = rowReader(context, lines, field, amountField);
  const columns = sheetColumns(lines, await lines.readEarlierLines(entry));
  const texts = await fillSheet(context.streams, {
    message: `${labelOfField(entry)}: ${headerOf(amountField)} for each`,
    hint: hintFor(field, { unit: field.traits.unit }),
    problem: lines.problem,
    canGoBack: lines.canGoBack,
    header: headerOf(amountField),
    columns: columns.map(({ header }) => header),
    rows: records.map((record) => ({
      id: record.id,
      label: record.label,
      cells: columns.map(({ cell }) => cell(record)),
      initial: draft.texts?.get(record.id) ?? initialText(field, currentLinks.get(record.id)?.[amountField]),
      problem: lineProblems?.get(record.id),
    })),
    validate: reader.problemInRow,
    mayBeEmpty: !entry.mustBeSent,
    onLeave: (texts) => {
      draft.texts = new Map(records.map(({ id }, row) => [id, texts[row] ?? '']));
    },
  });
  draft.texts = undefined;
  return records.flatMap(({ id }, row) => {
    const text = texts[row] ?? '';
    if (lines.sheet && text.trim() === '') return [];
    const { [amountField]: _, ...values } = currentLinks.get(id) ?? {};
    return { ...values, id, ...(text.trim() !== '' && { [amountField]: reader.read(text, row).value }) };
  });
}

function initialText(field: Field, value: unknown): string {
  return value === undefined || value === null ? '' : (formatInput(field, value) ?? String(value));
}

/** Returns functions that read and check the text of a row. */
function rowReader(context: Context, lines: LinesContext, field: Field, amountField: string) {
  const { entry, records } = lines;
  const label = capitalize(headerOf(amountField));
  const parse = (text: string, row: number) =>
    parseAnswer(field, text, { now: context.now(), unit: unitOfRow(lines, records[row]) });
  const problemInRow = (text: string, row: number): string | undefined => {
    if (text.trim() === '') {
      return field.traits.required && !lines.sheet
        ? `${label} of ${records[row]?.label} is required.`
        : undefined;
    }
    const { value, problem } = parse(text, row);
    if (problem !== undefined) return `${label} ${problem}.`;
    return validateAnswer(lines, entry.name, label, [{ id: records[row]?.id, [amountField]: value }]);
  };
  return { read: parse, problemInRow };
}

function unitOfRow({ entry }: LinesContext, record: NamedRecord | undefined): string | undefined {
  const { unitFrom } = entry.field.traits;
  const unit = unitFrom === undefined ? undefined : record?.record?.[unitFrom];
  return typeof unit === 'string' ? unit : undefined;
}

interface SheetColumn {
  header: string;
  cell(record: NamedRecord): string;
}

/** Returns the columns next to the amounts: the unit, other fields of each record, and the number in the earlier lines. */
function sheetColumns({ entry }: LinesContext, earlierLines: EarlierLines | undefined): SheetColumn[] {
  const { unitFrom, formContext: otherFields = [], previous } = entry.field.traits;
  const names = [...(unitFrom === undefined ? [] : [unitFrom]), ...otherFields];
  const earlierColumn: SheetColumn[] =
    earlierLines === undefined
      ? []
      : [{ header: previous?.label ?? '', cell: ({ id }) => String(earlierLines.numbers.get(id) ?? '') }];
  const fieldColumns = names.map((name) => ({
    header: name === unitFrom ? 'unit' : headerOf(name),
    cell: ({ record }: NamedRecord) => {
      const value = record?.[name];
      return value === undefined || value === null ? '' : String(value);
    },
  }));
  return [...fieldColumns, ...earlierColumn];
}
