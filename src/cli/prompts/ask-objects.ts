/** Asks for a list of nested objects, such as the options of a modifier: a row for each, and the fields of a row one by one. */
import { isRow, type Row } from '../../account/client/shape.ts';
import { type BodyField, nestedFields } from '../../api/contract/operation.ts';
import { titleField } from '../../api/contract/resource.ts';
import { formatInput } from '../../api/contract/value-text.ts';
import { withArticle } from '../../api/contract/wording.ts';
import type { Context } from '../context/context.ts';
import { presentationOf } from '../context/kinds.ts';
import { pad } from '../terminal/width.ts';
import {
  type Answer,
  type Answers,
  addRecordNames,
  answerOf,
  currentAnswers,
  describeChange,
  isSameAnswer,
} from './answer.ts';
import { parseAnswer } from './parse-answer.ts';
import {
  type FieldContext,
  hintFor,
  labelOfField,
  type StepAnswers,
  type StepContext,
  validateAnswer,
} from './steps.ts';
import { promptsFor } from './terminal/prompts.ts';
import { BackRequested, type Choice } from './terminal/questions.ts';

/** One object of the list. */
interface ObjectRow {
  /** The object as the list had it, with its ID; empty for a new one. */
  original: Row;
  before: Answers;
  answers: Map<string, Answer>;
  isRemoved: boolean;
}

/** The fields of an object that are asked, and its title among them. */
interface ObjectFields {
  fields: readonly BodyField[];
  title: BodyField | undefined;
  noun: string;
}

/** Asks the question of one step, like `askStep`. */
type Ask = (context: Context, step: StepContext) => Promise<StepAnswers>;

/** Returns the list as one answer; undefined if it was empty and stays empty. `ask` asks for a field of an object. */
export async function askObjects(
  context: Context,
  stepContext: FieldContext,
  ask: Ask,
): Promise<Answer | undefined> {
  const { entry, question, draft, record } = stepContext;
  const currentValue = stepContext.currentAnswers.get(entry.name)?.value;
  const rows = Array.isArray(draft) ? (draft as ObjectRow[]) : rowsOf(entry, currentValue, record);
  const objects = fieldsOf(entry);
  const { noun } = objects;
  const prompts = await promptsFor(context.streams);
  let problem = question.problem;
  for (;;) {
    const width = Math.max(0, ...rows.map((row) => titleOf(row, objects).length));
    type Next = 'done' | 'add' | 'each' | ObjectRow;
    const entries: Choice<Next>[] = [
      { value: 'done', label: 'Done', key: '=done' },
      ...rows.map((row, index) => ({
        value: row,
        key: String(index),
        label: `${pad(titleOf(row, objects), width)}  ${describeRow(row, objects)}`,
      })),
      ...(rows.length > 1
        ? [{ value: 'each' as const, label: `One field of each ${noun}…`, key: '=each' }]
        : []),
      { value: 'add', label: `Add ${withArticle(noun)}…`, key: '=add' },
    ];
    const hint = `Select ${withArticle(noun)} to change it.`;
    const next = await prompts
      .pick({ ...question, hint, problem, entries, clearsWhenDone: true })
      .catch((error: unknown) => {
        throw error instanceof BackRequested ? new BackRequested(rows) : error;
      });
    problem = undefined;
    try {
      if (next === 'add') await addRow(context, stepContext, rows, objects, ask);
      else if (next === 'each') await fillField(context, stepContext, rows, objects);
      else if (next !== 'done') await editRow(context, stepContext, next, objects, ask);
    } catch (error) {
      // Back from an object means back to the list.
      if (!(error instanceof BackRequested)) throw error;
    }
    if (next !== 'done') continue;
    const remaining = rows.filter(({ isRemoved }) => !isRemoved);
    if (remaining.length === 0 && rows.length === 0) return undefined;
    const value = remaining.map(requestValueOf);
    problem = validateAnswer(stepContext, entry.name, labelOfField(entry), value);
    const records = remaining.flatMap(({ answers }) =>
      [...answers.values()].flatMap(({ records = [] }) => records),
    );
    if (problem === undefined) return answerOf(entry.field, value, undefined, records);
  }
}

function fieldsOf({ field }: BodyField): ObjectFields {
  const fields = nestedFields(field).filter(({ name, field: { traits } }) => name !== 'id' && !traits.secret);
  const title = titleField(field.traits.fields ?? {});
  const noun = field.traits.itemName?.replaceAll('_', ' ') ?? 'row';
  return { fields, title: fields.find(({ responseName }) => responseName === title), noun };
}

function rowsOf({ field, responseName }: BodyField, value: unknown, record: Row): ObjectRow[] {
  const responses = Array.isArray(record[responseName]) ? record[responseName].filter(isRow) : [];
  return (Array.isArray(value) ? value.filter(isRow) : []).map((original) => {
    const response = responses.find(({ id }) => id !== undefined && id === original.id) ?? original;
    const before = currentAnswers({ body: nestedFields(field) }, { record: response, body: original });
    return { original, before, answers: new Map(before), isRemoved: false };
  });
}

function requestValueOf({ original, answers }: ObjectRow): Row {
  return { ...original, ...Object.fromEntries([...answers].map(([name, { value }]) => [name, value])) };
}

function titleOf({ answers }: ObjectRow, { title }: ObjectFields): string {
  return (title && answers.get(title.name)?.display) ?? '';
}

/** Returns the changes of an object, or else its values. */
function describeRow(row: ObjectRow, { fields, title }: ObjectFields): string {
  if (row.isRemoved) return '(will be removed)';
  const isNew = row.before.size === 0;
  const changes = fields.flatMap((entry) => {
    const [before, after] = [row.before.get(entry.name), row.answers.get(entry.name)];
    if (isNew || !after || isSameAnswer(entry.field, before?.value, after.value)) return [];
    return [`${labelOfField(entry)} ${describeChange(entry, before, after)}`];
  });
  if (changes.length > 0) return changes.join('; ');
  const hasUnit = ({ field: { traits } }: BodyField) => Number(traits.unit !== undefined);
  const values = fields
    .filter((entry) => entry !== title && entry.field.traits.target === undefined)
    .toSorted((a, b) => hasUnit(b) - hasUnit(a))
    .flatMap((entry) => {
      const answer = row.answers.get(entry.name);
      return answer ? [`${labelOfField(entry)} ${answer.display}`] : [];
    });
  return [...(isNew ? ['(new)'] : []), ...values].join('; ');
}

/** Asks for one field of an object. */
async function askFieldOf(
  context: Context,
  stepContext: StepContext & { entry: BodyField },
  row: ObjectRow,
  entry: BodyField,
  { title = '', ask }: { title?: string; ask: Ask },
): Promise<void> {
  const value = requestValueOf(row);
  const answers = await ask(context, {
    ...stepContext,
    step: {
      name: entry.name,
      label: [title, labelOfField(entry)].filter(Boolean).join(': '),
      fields: [entry],
    },
    currentAnswers: row.answers,
    nested: { list: stepContext.entry.name, value },
    problem: undefined,
    draft: undefined,
    sheet: false,
    canGoBack: true,
  });
  for (const [name, answer] of answers) {
    if (answer === undefined) row.answers.delete(name);
    else row.answers.set(name, answer);
  }
}

async function addRow(
  context: Context,
  stepContext: FieldContext,
  rows: ObjectRow[],
  objects: ObjectFields,
  ask: Ask,
): Promise<void> {
  const row: ObjectRow = { original: {}, before: new Map(), answers: new Map(), isRemoved: false };
  if (objects.title) await askFieldOf(context, stepContext, row, objects.title, { ask });
  if (objects.title && row.answers.size === 0) return;
  rows.push(row);
  await editRow(context, stepContext, row, objects, ask);
}

async function editRow(
  context: Context,
  stepContext: FieldContext,
  row: ObjectRow,
  objects: ObjectFields,
  ask: Ask,
): Promise<void> {
  const { fields, noun } = objects;
  const prompts = await promptsFor(context.streams);
  const session = await context.session();
  row.answers = await addRecordNames(session, { body: fields }, row.answers);
  const width = Math.max(...fields.map((entry) => labelOfField(entry).length));
  for (;;) {
    const entries: Choice<BodyField | 'done' | 'remove'>[] = [
      { value: 'done', label: 'Done', key: '=done' },
      ...fields.map((entry) => ({
        value: entry,
        key: entry.name,
        label: `${pad(labelOfField(entry), width)}  ${row.answers.get(entry.name)?.display ?? '-'}`,
      })),
      { value: 'remove', label: row.isRemoved ? `Keep this ${noun}` : `Remove this ${noun}`, key: '=remove' },
    ];
    const message = `${labelOfField(stepContext.entry)}: ${titleOf(row, objects)}`;
    const next = await prompts.pick({ message, entries, canGoBack: true, clearsWhenDone: true });
    if (next === 'remove') row.isRemoved = !row.isRemoved;
    if (typeof next === 'string') return;
    await askFieldOf(context, stepContext, row, next, { title: titleOf(row, objects), ask }).catch(
      (error: unknown) => {
        if (!(error instanceof BackRequested)) throw error;
      },
    );
  }
}

/** Asks for one field of all objects in a sheet. */
async function fillField(
  context: Context,
  stepContext: FieldContext,
  rows: readonly ObjectRow[],
  objects: ObjectFields,
): Promise<void> {
  const prompts = await promptsFor(context.streams);
  const choices = objects.fields
    .filter(({ field }) => presentationOf(field).question === 'text')
    .map((entry) => ({ value: entry, label: labelOfField(entry), key: entry.name }));
  const message = `Which field of each ${objects.noun}?`;
  const entry = await prompts.pick({ message, entries: choices, canGoBack: true, clearsWhenDone: true });
  const { field, name } = entry;
  const label = labelOfField(entry);
  const shownRows = rows.filter(({ isRemoved }) => !isRemoved);
  const initials = shownRows.map(({ answers }) => {
    const value = answers.get(name)?.value ?? null;
    return value === null ? '' : (formatInput(field, value) ?? String(value));
  });
  const read = (text: string) => parseAnswer(field, text, { now: context.now() });
  const texts = await prompts.fillSheet({
    message: `${labelOfField(stepContext.entry)}: ${label} of each`,
    hint: hintFor(field, { unit: field.traits.unit }),
    header: label,
    columns: [],
    canGoBack: true,
    mayBeEmpty: true,
    rows: shownRows.map((row, index) => ({
      id: String(index),
      label: titleOf(row, objects),
      cells: [],
      initial: initials[index] ?? '',
    })),
    validate: (text, index) => {
      const row = shownRows[index];
      if (text === initials[index] || !row) return undefined;
      const { value, problem } = text.trim() === '' ? { value: emptyOf(entry) } : read(text);
      const nested = { list: stepContext.entry.name, value: requestValueOf(row) };
      return problem === undefined
        ? validateAnswer({ ...stepContext, nested }, name, label, value)
        : `${label} ${problem}.`;
    },
  });
  for (const [index, row] of shownRows.entries()) {
    const text = texts[index] ?? '';
    if (text === initials[index]) continue;
    row.answers.set(name, answerOf(field, text.trim() === '' ? emptyOf(entry) : read(text).value));
  }
}

function emptyOf({ field }: BodyField): unknown {
  return field.traits.nullable || field.kind !== 'text' ? null : '';
}
