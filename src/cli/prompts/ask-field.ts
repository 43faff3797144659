/** Asks one question of a form with the prompt for the kind of its field. The prompt starts with the current value. */

import type { Field } from '../../api/contract/field.ts';
import type { Operation } from '../../api/contract/operation.ts';
import type { TypedValue } from '../../api/contract/typed-text.ts';
import { formatInput } from '../../api/contract/value-text.ts';
import { redactionMarker } from '../../base/redaction.ts';
import type { Context } from '../context/context.ts';
import { type KindPresentation, presentationOf } from '../context/kinds.ts';
import type { Streams } from '../terminal/streams.ts';
import { type Answer, answerOf, emptyText, formatValue } from './answer.ts';
import { askObjects } from './ask-objects.ts';
import { askRecord, askRecords } from './ask-records.ts';
import { parseAnswer } from './parse-answer.ts';
import {
  canBeSkipped,
  type FieldContext,
  hintFor,
  labelOfField,
  type StepAnswers,
  type StepContext,
  skipLabelOf,
  skippedAnswer,
  unitOf,
  validateAnswer,
} from './steps.ts';
import { promptsFor } from './terminal/prompts.ts';
import type { Choice, Question } from './terminal/questions.ts';

export async function askStep(context: Context, stepContext: StepContext): Promise<StepAnswers> {
  const { step, operation, problem, canGoBack } = stepContext;
  const [entry] = step.fields;
  if (!entry) return new Map();
  if (entry.field.traits.formGroup !== undefined) return askGroup(context, stepContext);
  const { unit, unitDescription } = unitOf(entry, stepContext);
  const hint = hintFor(entry.field, { operation, entry, unit: unit ?? unitDescription });
  const question = { message: step.label, hint, problem, canGoBack };
  const ask = entry.field.traits.secret ? askSecret : questions[presentationOf(entry.field).question];
  const answer = await ask(context, { ...stepContext, entry, question });
  return answer instanceof Map ? answer : new Map([[entry.name, answer as Answer | undefined]]);
}

/** Asks for the answer of a field. A text may also have answers of other fields. */
type AskQuestion = (context: Context, field: FieldContext) => Promise<Answer | undefined | StepAnswers>;

const questions: Readonly<Record<KindPresentation['question'], AskQuestion>> = {
  text: askText,
  'yes or no': async ({ streams }, { operation, currentAnswers, entry: { name, field }, question }) => {
    const defaultValue = operation.effect === 'create' ? field.traits.formDefault : undefined;
    const initial = (currentAnswers.has(name) ? currentAnswers.get(name)?.value : defaultValue) === true;
    const value = await (await promptsFor(streams)).confirm({ ...question, initial });
    return { value, display: value ? 'yes' : 'no' };
  },
  word: askChoice,
  words: askWords,
  record: askRecord,
  records: askRecords,
  objects: (context, field) => askObjects(context, field, askStep),
};

async function askSecret(
  { streams }: Context,
  { operation, currentAnswers, entry, question }: FieldContext,
): Promise<Answer | undefined> {
  const isRequired = entry.mustBeSent && operation.effect !== 'update';
  const validate = (text: string) =>
    isRequired && text === '' ? `${labelOfField(entry)} is required.` : undefined;
  const value = await (await promptsFor(streams)).askHidden({ ...question, validate });
  return value === '' ? currentAnswers.get(entry.name) : { value, display: redactionMarker };
}

/** Asks for several yes-or-no fields together, such as the days of the week. */
async function askGroup(
  { streams }: Context,
  { step, currentAnswers, draft, problem, canGoBack }: StepContext,
): Promise<StepAnswers> {
  const choices = step.fields.map((entry) => ({
    value: entry.name,
    label: labelOfField(entry),
    key: entry.name,
  }));
  const names = step.fields.map(({ name }) => name);
  const chosenNames = await chooseSeveral(
    streams,
    choices,
    draft ?? names.filter((name) => currentAnswers.get(name)?.value === true),
    { message: step.label, problem, canGoBack },
  );
  const isSkipped = chosenNames.length === 0 && currentAnswers.size === 0;
  return new Map(
    names.map((name) => {
      const value = chosenNames.includes(name);
      return [name, isSkipped ? undefined : { value, display: value ? 'yes' : 'no' }];
    }),
  );
}

async function askChoice(
  { streams }: Context,
  { operation, currentAnswers, entry, question }: FieldContext,
): Promise<Answer | undefined> {
  const { field, name } = entry;
  const isSkippable = canBeSkipped(entry, operation);
  const words = enumChoices(field, operation);
  const initial =
    currentAnswers.get(name)?.value ?? (operation.effect === 'create' ? field.traits.formDefault : undefined);
  const value = await (await promptsFor(streams)).choose<unknown>({
    ...question,
    choices: [
      ...words,
      ...unlistedChoices(initial === undefined ? [] : [initial], words),
      ...(isSkippable ? [{ value: undefined, label: skipLabelOf(operation) }] : []),
    ],
    initial,
  });
  return value === undefined
    ? skippedAnswer(entry, operation)
    : { value, display: formatValue(field, value) };
}

async function askWords(
  { streams }: Context,
  { operation, currentAnswers, draft, entry, question }: FieldContext,
): Promise<Answer | undefined> {
  const { field, name, mustBeSent } = entry;
  const currentValue = currentAnswers.get(name)?.value;
  const currentValues = Array.isArray(currentValue) ? currentValue : [];
  const words = enumChoices(field, operation);
  const choices = [...words, ...unlistedChoices(currentValues, words)];
  const value = await chooseSeveral(streams, choices, draft ?? currentValues, {
    ...question,
    required: mustBeSent,
  });
  if (value.length === 0 && currentValues.length === 0) return undefined;
  return { value, display: formatValue(field, value) };
}

/** Asks for any number of a few choices; `initial` are the values that are chosen first. Returns the values in the order of the choices. */
async function chooseSeveral<Value>(
  streams: Streams,
  choices: readonly Choice<Value>[],
  initial: unknown,
  question: Question & { required?: boolean },
): Promise<Value[]> {
  const initialValues = Array.isArray(initial) ? initial : [];
  const values = await (await promptsFor(streams)).pickSeveral({
    ...question,
    entries: choices,
    chosen: choices.filter(({ value }) => initialValues.includes(value)),
  });
  return choices.flatMap(({ value }) => (values.includes(value) ? [value] : []));
}

/** Returns the current values that the API document doesn't list, so that they can be kept. */
function unlistedChoices(values: readonly unknown[], words: readonly { value: unknown }[]) {
  const unlisted = values.filter((value) => !words.some((word) => word.value === value));
  return unlisted.map((value) => ({ value, label: String(value) }));
}

/** Returns the words of an enumeration. For a new record, it returns only the words that a new record can have. */
function enumChoices({ traits }: Field, { effect }: Operation): Choice<unknown>[] {
  const { words = {}, allowed = Object.keys(words), creatable, meanings = {} } = traits;
  return allowed
    .map((word) => {
      const meaning = meanings[word];
      return { value: words[word] ?? word, label: word, ...(meaning && { description: meaning }) };
    })
    .filter(({ value }) => effect !== 'create' || !creatable || creatable.includes(Number(value)));
}

async function askText(context: Context, fieldContext: FieldContext): Promise<StepAnswers> {
  const { operation, currentAnswers, draft, entry, question } = fieldContext;
  const { name, field } = entry;
  const currentAnswer = currentAnswers.get(name);
  const label = labelOfField(entry);
  const initial = currentAnswer
    ? (formatInput(field, currentAnswer.value) ?? JSON.stringify(currentAnswer.value))
    : '';
  const unit = unitOf(entry, fieldContext);
  const parse = (text: string): TypedValue => {
    // Unchanged text keeps the current value exactly.
    if (currentAnswer && text === initial) return { value: currentAnswer.value };
    return parseAnswer(field, text, { ...unit, now: context.now(), home: context.env.HOME });
  };
  const isBlank = (text: string) => text.trim() === '';
  const validate = (text: string): string | undefined => {
    if (isBlank(text)) return emptyProblem(fieldContext, initial);
    const { value, problem } = parse(text);
    return problem === undefined ? validateAnswer(fieldContext, name, label, value) : `${label} ${problem}.`;
  };
  const text = await (await promptsFor(context.streams)).askField({
    ...question,
    initial: typeof draft === 'string' ? draft : initial,
    validate,
    previewValue: (text) => (isBlank(text) ? undefined : parse(text).display),
  });
  if (isBlank(text)) {
    if (initial === '' || operation.effect !== 'update') return new Map([[name, undefined]]);
    const value = field.traits.nullable ? null : '';
    return new Map([[name, { value, display: emptyText }]]);
  }
  const { value, otherFields = {} } = parse(text);
  const otherAnswers = operation.body.flatMap((otherEntry) =>
    Object.hasOwn(otherFields, otherEntry.name)
      ? [[otherEntry.name, answerOf(otherEntry.field, otherFields[otherEntry.name])] as const]
      : [],
  );
  return new Map<string, Answer | undefined>([[name, answerOf(field, value)], ...otherAnswers]);
}

/** Returns the problem with an empty answer; undefined if the field can stay or become empty. */
function emptyProblem({ operation: { effect }, entry }: FieldContext, initial: string): string | undefined {
  const label = labelOfField(entry);
  if (entry.mustBeSent && effect !== 'update') return `${label} is required.`;
  if (effect !== 'update' || initial === '') return undefined;
  const { nullable, required } = entry.field.traits;
  const canBeEmpty = nullable || (entry.field.kind === 'text' && !required);
  return canBeEmpty ? undefined : `${label} can't be empty.`;
}
