/** Asks for related records, and for the fields of the links to them. */
import type { Context } from '../context/context.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import { type Answer, emptyText, readNames } from './answer.ts';
import { askLines } from './ask-lines.ts';
import {
  type FindRecordsOptions,
  findRecord,
  findRecords,
  findReference,
  findReferences,
  type NamedRecord,
  readTableRecords,
} from './find-record.ts';
import { canBeSkipped, type StepContext, skipLabelOf, skippedAnswer } from './step-context.ts';
import { BackRequested, type Question } from './terminal/questions.ts';

/** Asks for the record of a relation. Returns undefined if the field is skipped. */
export async function askRecord(
  context: Context,
  { operation, currentAnswers }: StepContext,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { target = '' } = entry.field.traits;
  const resource = context.api.resource(target);
  const current = currentAnswers.get(entry.name)?.records?.[0];
  const skipLabel = canBeSkipped(entry, operation) ? skipLabelOf(operation) : undefined;
  const record = resource?.list
    ? await findRecord(context, resource, { ...question, skipLabel, current })
    : await findReference(context, target, { ...question, skipLabel, current });
  if (!record) return skippedAnswer(entry, operation);
  return { value: record.id, display: record.label, records: [record] };
}

/** Asks for the records of a relation or of links. Returns undefined if the list was empty and stays empty. */
export async function askRecords(
  context: Context,
  stepContext: StepContext,
  entry: BodyField,
  originalQuestion: Question,
): Promise<Answer | undefined> {
  const { field, name } = entry;
  const { draft, sheet } = stepContext;
  const chosen = stepContext.currentAnswers.get(name)?.records ?? [];
  const hasLines = linkFields(field).length > 0;
  let question = originalQuestion;
  if (sheet && field.traits.amountField !== undefined) {
    const tableRecords = await readTableRecords(context, field.traits.target ?? '', chosen);
    if (Array.isArray(tableRecords))
      return askLines(context, { ...stepContext, entry, records: tableRecords });
    const earlierLines = chosen.length === 0 ? await stepContext.readEarlierLines(entry) : undefined;
    if (earlierLines) {
      const session = await context.session();
      draft.records ??= await readNames(session, field.traits.target ?? '', [...earlierLines.numbers.keys()]);
    }
    if (tableRecords)
      question = {
        ...originalQuestion,
        hint: 'Too many records for one table. Choose the ones to fill in.',
      };
  }
  for (;;) {
    const keepDraft = (draftRecords: readonly NamedRecord[]) => {
      draft.records = draftRecords;
    };
    const records = await chooseRecords(context, entry, {
      ...question,
      chosen: draft.records ?? chosen,
      onBack: keepDraft,
    });
    if (records.length === 0 && chosen.length === 0) return undefined;
    if (!hasLines) {
      draft.records = undefined;
      const display = records.map(({ label }) => label).join(', ') || emptyText;
      return { value: records.map(({ id }) => ({ id })), display, records };
    }
    draft.records = records;
    try {
      const answer = await askLines(context, { ...stepContext, entry, records, canGoBack: true });
      draft.records = undefined;
      return answer;
    } catch (error) {
      // Back from the lines means back to the choice of records.
      if (!(error instanceof BackRequested)) throw error;
    }
  }
}

function chooseRecords(
  context: Context,
  { field, mustBeSent }: BodyField,
  question: Omit<FindRecordsOptions, 'required'>,
): Promise<NamedRecord[]> {
  const { target = '', targetFilter } = field.traits;
  const resource = context.api.resource(target);
  return resource?.list
    ? findRecords(context, resource, { ...question, valueFilter: targetFilter, required: mustBeSent })
    : findReferences(context, target, { ...question, required: mustBeSent });
}
