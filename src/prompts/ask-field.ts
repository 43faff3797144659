/** Asks one question of a form with the prompt for the kind of its field. The prompt starts with the current value. */
import { redactionMarker } from '../base/redaction.ts';
import type { Context } from '../context/context.ts';
import { type KindPresentation, presentationOf } from '../context/kinds.ts';
import type { Field } from '../contract/field.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { formatInput } from '../contract/value-text.ts';
import { type Answer, answerOf, emptyText, formatValue } from './answer.ts';
import { askRecord, askRecords } from './ask-records.ts';
import { type ParsedAnswer, parseAnswer } from './parse-answer.ts';
import { labelOfField } from './question-order.ts';
import {
  canBeSkipped,
  hintFor,
  type StepContext,
  skipLabelOf,
  skippedAnswer,
  unitOf,
  validateAnswer,
} from './step-context.ts';
import { askField, askHidden, choose, chooseSeveral, confirm } from './terminal/prompts.ts';
import type { Question } from './terminal/questions.ts';

/** The answers of a step by field name; undefined for a skipped field. */
export type StepAnswers = ReadonlyMap<string, Answer | undefined>;

/** Asks the question of a step. */
export async function askStep(context: Context, stepContext: StepContext): Promise<StepAnswers> {
  const { fields, label } = stepContext.step;
  const [entry] = fields;
  if (!entry) return new Map();
  if (entry.field.traits.formGroup !== undefined) return askGroup(context, stepContext);
  const { unit, unitDescription } = unitOf(entry, stepContext);
  const question = {
    message: label,
    hint: hintFor(entry.field, { operation: stepContext.operation, entry, unit: unit ?? unitDescription }),
    problem: stepContext.problem,
    canGoBack: stepContext.canGoBack,
  };
  return askEntry(context, stepContext, entry, question);
}

async function askEntry(
  context: Context,
  stepContext: StepContext,
  entry: BodyField,
  question: Question,
): Promise<StepAnswers> {
  const { name, field } = entry;
  const { streams } = context;
  const current = stepContext.currentAnswers.get(name);
  if (field.traits.secret) {
    const value = await askHidden(streams, { ...question, validate: validateSecret(entry, stepContext) });
    return new Map([[name, value === '' ? current : { value, display: redactionMarker }]]);
  }
  return questions[presentationOf(field).question](context, stepContext, entry, question);
}

type AskQuestion = (
  context: Context,
  stepContext: StepContext,
  entry: BodyField,
  question: Question,
) => Promise<StepAnswers>;

/** Wraps a function that asks for one answer, so that it returns the answers of a step. */
const singleField =
  (ask: (...args: Parameters<AskQuestion>) => Promise<Answer | undefined>): AskQuestion =>
  async (context, stepContext, entry, question) =>
    new Map([[entry.name, await ask(context, stepContext, entry, question)]]);

const questions: Readonly<Record<KindPresentation['question'], AskQuestion>> = {
  text: askText,
  'yes or no': singleField(async ({ streams }, { operation, currentAnswers }, { name, field }, question) => {
    const defaultValue = operation.effect === 'create' ? field.traits.formDefault : undefined;
    const initial = (currentAnswers.has(name) ? currentAnswers.get(name)?.value : defaultValue) === true;
    const value = await confirm(streams, { ...question, initial });
    return { value, display: value ? 'yes' : 'no' };
  }),
  word: singleField(askChoice),
  words: singleField(askWords),
  record: singleField(askRecord),
  records: singleField(askRecords),
};

/** Asks for several yes-or-no fields together, such as the days of the week. */
async function askGroup(
  context: Context,
  { step, currentAnswers, draft, ...stepContext }: StepContext,
): Promise<StepAnswers> {
  const chosenNames = await chooseSeveral(context.streams, {
    message: step.label,
    problem: stepContext.problem,
    canGoBack: stepContext.canGoBack,
    choices: step.fields.map((entry) => ({ value: entry.name, label: labelOfField(entry), key: entry.name })),
    isChosen: (name) => draft.chosen?.includes(name) ?? currentAnswers.get(name)?.value === true,
    onBack: (names) => {
      draft.chosen = names;
    },
  });
  draft.chosen = undefined;
  const isSkipped = chosenNames.length === 0 && currentAnswers.size === 0;
  return new Map(
    step.fields.map(({ name }) => {
      const value = chosenNames.includes(name);
      return [name, isSkipped ? undefined : { value, display: value ? 'yes' : 'no' }];
    }),
  );
}

async function askChoice(
  context: Context,
  { operation, currentAnswers }: StepContext,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { field, name } = entry;
  const skipChoice = { value: undefined, label: skipLabelOf(operation) };
  const words = enumChoices(field, operation);
  const initial =
    currentAnswers.get(name)?.value ?? (operation.effect === 'create' ? field.traits.formDefault : undefined);
  const value = await choose<unknown>(context.streams, {
    ...question,
    choices: [
      ...words,
      ...unlistedChoices(initial === undefined ? [] : [initial], words),
      ...(canBeSkipped(entry, operation) ? [skipChoice] : []),
    ],
    initial: initial === undefined && canBeSkipped(entry, operation) ? undefined : initial,
  });
  return value === undefined
    ? skippedAnswer(entry, operation)
    : { value, display: formatValue(field, value) };
}

async function askWords(
  context: Context,
  { operation, currentAnswers, draft }: StepContext,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { field, name, mustBeSent } = entry;
  const currentValue = currentAnswers.get(name)?.value;
  const currentValues = Array.isArray(currentValue) ? currentValue : [];
  const words = enumChoices(field, operation);
  const value = await chooseSeveral<unknown>(context.streams, {
    ...question,
    choices: [...words, ...unlistedChoices(currentValues, words)],
    required: mustBeSent,
    isChosen: (word) => (draft.chosen ?? currentValues).includes(word),
    onBack: (chosen) => {
      draft.chosen = chosen;
    },
  });
  draft.chosen = undefined;
  if (value.length === 0 && currentValues.length === 0) return undefined;
  return { value, display: formatValue(field, value) };
}

/** Returns the current values that the API document doesn't list, so that they can be kept. */
function unlistedChoices(values: readonly unknown[], words: readonly { value: unknown }[]) {
  const unlisted = values.filter((value) => !words.some((word) => word.value === value));
  return unlisted.map((value) => ({ value, label: String(value) }));
}

/** Returns the words of an enumeration. For a new record, it returns only the words that a new record can have. */
function enumChoices(
  { traits }: Field,
  { effect }: Operation,
): { value: unknown; label: string; description?: string }[] {
  const { words = {}, allowed = Object.keys(words), creatable, meanings = {} } = traits;
  return allowed
    .map((word) => {
      const meaning = meanings[word];
      return { value: words[word] ?? word, label: word, ...(meaning && { description: meaning }) };
    })
    .filter(({ value }) => effect !== 'create' || !creatable || creatable.includes(Number(value)));
}

function validateSecret(entry: BodyField, { operation }: StepContext): (text: string) => string | undefined {
  const isRequired = entry.mustBeSent && operation.effect !== 'update';
  return (text) => (isRequired && text === '' ? `${labelOfField(entry)} is required.` : undefined);
}

async function askText(
  context: Context,
  stepContext: StepContext,
  entry: BodyField,
  question: Question,
): Promise<StepAnswers> {
  const { name, field, mustBeSent } = entry;
  const { operation, currentAnswers, draft } = stepContext;
  const currentAnswer = currentAnswers.get(name);
  const label = labelOfField(entry);
  const initial = currentAnswer
    ? (formatInput(field, currentAnswer.value) ?? JSON.stringify(currentAnswer.value))
    : '';
  const unit = unitOf(entry, stepContext);
  const parse = (text: string): ParsedAnswer => {
    // Unchanged text keeps the current value exactly.
    if (currentAnswer && text === initial) return { value: currentAnswer.value };
    return parseAnswer(field, text, { ...unit, now: context.now(), home: context.env.HOME });
  };
  const isBlank = (text: string) => text.trim() === '';
  const validate = (text: string): string | undefined => {
    if (isBlank(text)) return validateEmpty(entry, operation, initial, mustBeSent);
    const { value, problem } = parse(text);
    return problem === undefined ? validateAnswer(stepContext, name, label, value) : `${label} ${problem}.`;
  };
  const text = await askField(context.streams, {
    ...question,
    initial: draft.text ?? initial,
    onBack: (text) => {
      draft.text = text;
    },
    validate,
    previewValue: (text) => (isBlank(text) ? undefined : parse(text).display),
  });
  draft.text = undefined;
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

function validateEmpty(
  entry: BodyField,
  { effect }: Operation,
  initial: string,
  mustBeSent: boolean,
): string | undefined {
  const label = labelOfField(entry);
  if (mustBeSent && effect !== 'update') return `${label} is required.`;
  if (effect !== 'update' || initial === '') return undefined;
  const { nullable, required } = entry.field.traits;
  const canBeEmpty = nullable || (entry.field.kind === 'text' && !required);
  return canBeEmpty ? undefined : `${label} can't be empty.`;
}
