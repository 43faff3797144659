/** Asks for related records, and for the fields of the links to them. */
import type { Context } from '../context/context.ts';
import { type BodyField, linkFields } from '../contract/operation.ts';
import { type Answer, emptyText, readNames } from './answer.ts';
import { askLines } from './ask-lines.ts';
import {
  allRecords,
  type FindSeveral,
  type Found,
  findRecord,
  findRecords,
  findReference,
  findReferences,
} from './find-record.ts';
import { canBeSkipped, type StepContext, skipLabel, skippedAnswer } from './step-context.ts';
import { type Question, WentBack } from './terminal/questions.ts';

/** Asks for the record of a relation. Returns undefined if the field is skipped. */
export async function askOne(
  context: Context,
  { operation, present }: StepContext,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { target = '' } = entry.field.traits;
  const resource = context.api.resource(target);
  const before = present.get(entry.name)?.found?.[0];
  const none = canBeSkipped(entry, operation) ? skipLabel(operation) : undefined;
  const found = resource?.list
    ? await findRecord(context, resource, { ...question, none, present: before })
    : await findReference(context, target, { ...question, none, present: before });
  if (!found) return skippedAnswer(entry, operation);
  return { value: found.id, shown: found.label, found: [found] };
}

/** Asks for the records of a relation or of links. Returns undefined if none is chosen and none was. */
export async function askMany(
  context: Context,
  stepContext: StepContext,
  entry: BodyField,
  given: Question,
): Promise<Answer | undefined> {
  const { field, name } = entry;
  const { draft, sheet } = stepContext;
  const chosen = stepContext.present.get(name)?.found ?? [];
  const hasLines = linkFields(field).length > 0;
  let question = given;
  if (sheet && field.traits.amount !== undefined) {
    const all = await allRecords(context, field.traits.target ?? '', chosen);
    if (Array.isArray(all)) return askLines(context, { ...stepContext, entry, found: all });
    const last = chosen.length === 0 ? await stepContext.earlier(entry) : undefined;
    if (last) {
      const session = await context.session();
      draft.found ??= await readNames(session, field.traits.target ?? '', [...last.numbers.keys()]);
    }
    if (all)
      question = {
        ...given,
        hint: 'Too many records for one table. Choose the ones to fill in.',
      };
  }
  for (;;) {
    const keep = (left: readonly Found[]) => {
      draft.found = left;
    };
    const found = await chooseMany(context, entry, {
      ...question,
      chosen: draft.found ?? chosen,
      onBack: keep,
    });
    if (found.length === 0 && chosen.length === 0) return undefined;
    if (!hasLines) {
      draft.found = undefined;
      const shown = found.map(({ label }) => label).join(', ') || emptyText;
      return { value: found.map(({ id }) => ({ id })), shown, found };
    }
    draft.found = found;
    try {
      const answer = await askLines(context, { ...stepContext, entry, found, canGoBack: true });
      draft.found = undefined;
      return answer;
    } catch (error) {
      // Going back from the lines leads to the choice of records.
      if (!(error instanceof WentBack)) throw error;
    }
  }
}

function chooseMany(
  context: Context,
  { field, mustBeGiven }: BodyField,
  question: Omit<FindSeveral, 'required'>,
): Promise<Found[]> {
  const { target = '', only } = field.traits;
  const resource = context.api.resource(target);
  return resource?.list
    ? findRecords(context, resource, { ...question, only, required: mustBeGiven })
    : findReferences(context, target, { ...question, required: mustBeGiven });
}
