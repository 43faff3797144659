/** Asks for related records, and for the fields of the links to them: in a sheet if each link has one number, else one by one. */
import { isRow, type Row } from '../../account/client/shape.ts';
import type { Field } from '../../api/contract/field.ts';
import { type BodyField, linkFields } from '../../api/contract/operation.ts';
import { formatInput } from '../../api/contract/value-text.ts';
import { capitalize } from '../../api/contract/wording.ts';
import type { Context } from '../context/context.ts';
import { headerOf } from '../output/records-for-people.ts';
import { type Answer, emptyText, formatItem, readNames } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';
import { findRecord, findRecords, readTableRecords } from './find-record.ts';
import { parseAnswer } from './parse-answer.ts';
import type { NamedRecord, RecordsDraft } from './record-entries.ts';
import {
  canBeSkipped,
  type FieldContext,
  hintFor,
  labelOfField,
  skipLabelOf,
  skippedAnswer,
  validateAnswer,
} from './steps.ts';
import { promptsFor } from './terminal/prompts.ts';
import { BackRequested } from './terminal/questions.ts';

/** Asks for the record of a relation. Returns undefined if the field is skipped. */
export async function askRecord(
  context: Context,
  { operation, currentAnswers, entry, question }: FieldContext,
): Promise<Answer | undefined> {
  const { target = '' } = entry.field.traits;
  const current = currentAnswers.get(entry.name)?.records?.[0];
  const skipLabel = canBeSkipped(entry, operation) ? skipLabelOf(operation) : undefined;
  const record = await findRecord(context, target, { ...question, skipLabel, current });
  if (!record) return skippedAnswer(entry, operation);
  return { value: record.id, display: record.label, records: [record] };
}

/** Asks for the records of a relation or of links. Returns undefined if the list was empty and stays empty. */
export async function askRecords(context: Context, field: FieldContext): Promise<Answer | undefined> {
  const { entry, sheet } = field;
  const { traits } = entry.field;
  const { target = '', targetFilter: valueFilter } = traits;
  const chosen = field.currentAnswers.get(entry.name)?.records ?? [];
  const hasLines = linkFields(entry.field).length > 0;
  let draft = (field.draft ?? {}) as RecordsDraft;
  let { question } = field;
  if (sheet && traits.amountField !== undefined) {
    const tableRecords = await readTableRecords(context, target, chosen);
    if (Array.isArray(tableRecords)) return askLines(context, field, tableRecords, draft);
    const earlierLines = chosen.length === 0 ? await field.readEarlierLines(entry) : undefined;
    if (earlierLines && draft.records === undefined) {
      const session = await context.session();
      draft = { ...draft, records: await readNames(session, target, [...earlierLines.numbers.keys()]) };
    }
    const hint = 'Too many records for one table. Choose the ones to fill in.';
    if (tableRecords) question = { ...question, hint };
  }
  for (;;) {
    const records = await findRecords(context, target, {
      ...question,
      valueFilter,
      required: entry.mustBeSent,
      chosen: draft.records ?? chosen,
    }).catch(keepInDraft((content) => ({ ...draft, records: content as NamedRecord[] })));
    if (records.length === 0 && chosen.length === 0) return undefined;
    if (!hasLines) {
      const display = records.map(({ label }) => label).join(', ') || emptyText;
      return { value: records.map(({ id }) => ({ id })), display, records };
    }
    draft = { ...draft, records };
    try {
      return await askLines(
        context,
        { ...field, question: { ...question, canGoBack: true } },
        records,
        draft,
      );
    } catch (error) {
      // Back from the lines means back to the choice of records.
      if (!(error instanceof BackRequested)) throw error;
      draft = { ...draft, ...(error.draft as RecordsDraft) };
    }
  }
}

/** Returns a rejection handler that replaces what `BackRequested` keeps of a question. */
function keepInDraft(draftOf: (content: unknown) => RecordsDraft) {
  return (error: unknown): never => {
    throw error instanceof BackRequested ? new BackRequested(draftOf(error.draft)) : error;
  };
}

/** Asks for the fields of the links to records and returns the links as one answer. */
async function askLines(
  context: Context,
  field: FieldContext,
  records: readonly NamedRecord[],
  draft: RecordsDraft,
): Promise<Answer> {
  const { entry } = field;
  const currentValue = field.currentAnswers.get(entry.name)?.value;
  const links = Array.isArray(currentValue) ? currentValue.filter(isRow) : [];
  const currentLinks = new Map(links.map((link) => [String(link.id), link]));
  const { amountField } = entry.field.traits;
  const fields = linkFields(entry.field);
  const isSheet =
    amountField !== undefined && fields.every(({ name, mustBeSent }) => name === amountField || !mustBeSent);
  const value = isSheet
    ? await askSheet(context, { ...field, records, amountField, currentLinks }, draft)
    : await askFieldByField(context, field, records, currentLinks);
  const display = value.map((link) => formatItem(entry.field, link, records)).join(', ');
  return { value, display: display || emptyText, records };
}

/** Asks for each field of new links. The current links stay unchanged. */
async function askFieldByField(
  context: Context,
  field: FieldContext,
  records: readonly NamedRecord[],
  currentLinks: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const links = new Map(records.map(({ id }) => [id, currentLinks.get(id) ?? { id }]));
  const openQuestions = records
    .filter(({ id }) => !currentLinks.has(id))
    .flatMap((record) => linkFields(field.entry.field).map((entry) => ({ record, entry })));
  for (let index = 0; index < openQuestions.length; index++) {
    const { record, entry } = openQuestions[index] ?? {};
    if (!record || !entry) break;
    const values = links.get(record.id) ?? { id: record.id };
    try {
      const value = await askLinkField(context, field, record, entry, values[entry.name]);
      const { [entry.name]: _, ...otherValues } = values;
      links.set(record.id, value === undefined ? otherValues : { ...otherValues, [entry.name]: value });
    } catch (error) {
      if (!(error instanceof BackRequested)) throw error;
      if (index === 0) throw new BackRequested();
      index -= 2;
    }
  }
  return [...links.values()];
}

async function askLinkField(
  context: Context,
  { operation }: FieldContext,
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
  const text = await (await promptsFor(context.streams)).askField({
    message: `${label}: ${fieldLabel}`,
    hint: hintFor(field, { operation, entry, unit: field.traits.unit }),
    canGoBack: true,
    initial: initialValue === undefined ? '' : String(initialValue),
    validate,
    previewValue: (text) => (text.trim() === '' ? undefined : parse(text).display),
  });
  return text.trim() === '' ? undefined : parse(text).value;
}

interface SheetContext extends FieldContext {
  records: readonly NamedRecord[];
  amountField: string;
  /** The current links by ID. */
  currentLinks: ReadonlyMap<string, Row>;
}

async function askSheet(context: Context, sheet: SheetContext, draft: RecordsDraft): Promise<Row[]> {
  const { entry, question, records, amountField, currentLinks } = sheet;
  const field = entry.field.traits.pivot?.[amountField];
  if (!field || records.length === 0) return records.map(({ id }) => ({ id }));
  const { read, problemInRow } = rowReader(context, sheet, field);
  const columns = sheetColumns(sheet, await sheet.readEarlierLines(entry));
  const prompts = await promptsFor(context.streams);
  const texts = await prompts
    .fillSheet({
      message: `${labelOfField(entry)}: ${headerOf(amountField)} for each`,
      hint: hintFor(field, { unit: field.traits.unit }),
      problem: question.problem,
      canGoBack: question.canGoBack,
      header: headerOf(amountField),
      columns: columns.map(({ header }) => header),
      rows: records.map((record) => {
        const value = currentLinks.get(record.id)?.[amountField];
        const text =
          value === undefined || value === null ? '' : (formatInput(field, value) ?? String(value));
        return {
          id: record.id,
          label: record.label,
          cells: columns.map(({ cell }) => cell(record)),
          initial: draft.texts?.get(record.id) ?? text,
          problem: sheet.lineProblems?.get(record.id),
        };
      }),
      validate: problemInRow,
      mayBeEmpty: !entry.mustBeSent,
      onChange: (texts) =>
        sheet.keepDraft?.({ records, texts: new Map(records.map(({ id }, row) => [id, texts[row] ?? ''])) }),
    })
    .catch(
      keepInDraft((content) => ({
        texts: new Map(records.map(({ id }, row) => [id, (content as string[])[row] ?? ''])),
      })),
    );
  return records.flatMap(({ id }, row) => {
    const text = texts[row] ?? '';
    if (sheet.sheet && text.trim() === '') return [];
    const { [amountField]: _, ...values } = currentLinks.get(id) ?? {};
    return { ...values, id, ...(text.trim() !== '' && { [amountField]: read(text, row).value }) };
  });
}

function rowReader(context: Context, sheet: SheetContext, field: Field) {
  const { entry, records, amountField } = sheet;
  const label = capitalize(headerOf(amountField));
  const { unitFrom } = entry.field.traits;
  const read = (text: string, row: number) => {
    const unit = unitFrom === undefined ? undefined : records[row]?.record?.[unitFrom];
    return parseAnswer(field, text, {
      now: context.now(),
      unit: typeof unit === 'string' ? unit : undefined,
    });
  };
  const problemInRow = (text: string, row: number): string | undefined => {
    if (text.trim() === '') {
      return field.traits.required && !sheet.sheet
        ? `${label} of ${records[row]?.label} is required.`
        : undefined;
    }
    const { value, problem } = read(text, row);
    if (problem !== undefined) return `${label} ${problem}.`;
    return validateAnswer(sheet, entry.name, label, [{ id: records[row]?.id, [amountField]: value }]);
  };
  return { read, problemInRow };
}

interface SheetColumn {
  header: string;
  cell(record: NamedRecord): string;
}

/** Returns the columns next to the amounts: the unit, other fields of each record, and the number in the earlier lines. */
function sheetColumns({ entry }: SheetContext, earlierLines: EarlierLines | undefined): SheetColumn[] {
  const { unitFrom, formContext: otherFields = [], previous } = entry.field.traits;
  const names = [...(unitFrom === undefined ? [] : [unitFrom]), ...otherFields];
  const earlierColumn: SheetColumn[] =
    earlierLines === undefined
      ? []
      : [{ header: previous?.label ?? '', cell: ({ id }) => String(earlierLines.numbers.get(id) ?? '') }];
  const fieldColumns = names.map((name) => ({
    header: name === unitFrom ? 'unit' : headerOf(name),
    cell: ({ record }: NamedRecord) => String(record?.[name] ?? ''),
  }));
  return [...fieldColumns, ...earlierColumn];
}
