/** One question of a form, by the kind of what is asked for; it begins with what is there already. */
import type { Field } from '../../contract/field.ts';
import { type BodyField, linkFields, type Operation } from '../../contract/operation.ts';
import { typedText } from '../../contract/text.ts';
import { ask, askHidden, choose, chooseSeveral, confirm } from '../../terminal/prompts.ts';
import { type Question, WentBack } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { forPeople, type KindForPeople } from '../kinds.ts';
import { mask } from '../output/mask.ts';
import { type Answer, answerFor, shownOf } from './answer.ts';
import { askLines } from './ask-lines.ts';
import { type AskedField, hintFor, problemWith } from './asked.ts';
import {
  allRecords,
  type Found,
  findRecord,
  findRecords,
  findReference,
  findReferences,
} from './find-record.ts';
import { readNames } from './name-related.ts';
import { labelOfField } from './question-order.ts';
import { type Understood, understand } from './understand.ts';

/** By field; undefined where it is left out after all. */
export type StepAnswers = ReadonlyMap<string, Answer | undefined>;

export async function askStep(context: Context, asked: AskedField): Promise<StepAnswers> {
  const { fields, label } = asked.step;
  const [entry] = fields;
  if (!entry) return new Map();
  if (entry.field.traits.together !== undefined) return askTogether(context, asked);
  const question = {
    message: label,
    hint: hintFor(entry.field, asked.operation, entry),
    problem: asked.problem,
    canGoBack: asked.canGoBack,
  };
  return askField(context, asked, entry, question);
}

async function askField(
  context: Context,
  asked: AskedField,
  entry: BodyField,
  question: Question,
): Promise<StepAnswers> {
  const { name, field } = entry;
  const { streams } = context;
  const present = asked.present.get(name);
  if (field.traits.secret) {
    const value = await askHidden(streams, { ...question, validate: secretProblem(entry, asked) });
    return new Map([[name, value === '' ? present : { value, shown: mask }]]);
  }
  return questions[forPeople(field).asked](context, asked, entry, question);
}

type Ask = (
  context: Context,
  asked: AskedField,
  entry: BodyField,
  question: Question,
) => Promise<StepAnswers>;

/** Of a question that answers one field. */
const only =
  (ask: (...args: Parameters<Ask>) => Promise<Answer | undefined>): Ask =>
  async (context, asked, entry, question) =>
    new Map([[entry.name, await ask(context, asked, entry, question)]]);

const questions: Readonly<Record<KindForPeople['asked'], Ask>> = {
  text: askText,
  'yes or no': only(async ({ streams }, { present }, { name }, question) => {
    const value = await confirm(streams, { ...question, initial: present.get(name)?.value === true });
    return { value, shown: value ? 'yes' : 'no' };
  }),
  word: only(askChoice),
  words: only(askWords),
  record: only(askOne),
  records: only(askMany),
};

/** Days of the week and the like: what is ticked is yes, what isn’t is no. */
async function askTogether(context: Context, { step, present, ...asked }: AskedField): Promise<StepAnswers> {
  const chosen = await chooseSeveral(context.streams, {
    message: step.label,
    problem: asked.problem,
    canGoBack: asked.canGoBack,
    choices: step.fields.map((entry) => ({ value: entry.name, label: labelOfField(entry), key: entry.name })),
    isChosen: (name) => present.get(name)?.value === true,
  });
  const isUnsaid = chosen.length === 0 && present.size === 0;
  return new Map(
    step.fields.map(({ name }) => {
      const value = chosen.includes(name);
      return [name, isUnsaid ? undefined : { value, shown: value ? 'yes' : 'no' }];
    }),
  );
}

function canBeLeftOut({ mustBeGiven, field }: BodyField, { effect }: Operation): boolean {
  return effect === 'update' ? field.traits.nullable === true : !mustBeGiven;
}

/** An update that empties a field says so; a new record goes without it. */
function nothing({ field }: BodyField, { effect }: Operation): Answer | undefined {
  return effect === 'update' ? { value: field.kind === 'many' ? [] : null, shown: 'nothing' } : undefined;
}

async function askChoice(
  context: Context,
  { operation, present }: AskedField,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { field, name } = entry;
  const none = { value: undefined, label: operation.effect === 'update' ? 'nothing' : 'leave it out' };
  const words = wordsOf(field, operation);
  const initial =
    present.get(name)?.value ?? (operation.effect === 'create' ? field.traits.usual : undefined);
  const value = await choose<unknown>(context.streams, {
    ...question,
    choices: [...words, ...(canBeLeftOut(entry, operation) ? [none] : [])],
    initial: initial === undefined && canBeLeftOut(entry, operation) ? undefined : initial,
  });
  return value === undefined ? nothing(entry, operation) : { value, shown: shownOf(field, value) };
}

async function askWords(
  context: Context,
  { operation, present }: AskedField,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { field, name, mustBeGiven } = entry;
  const before = present.get(name)?.value;
  const chosenNow = Array.isArray(before) ? before : [];
  const words = wordsOf(field, operation);
  // What the contract doesn’t know stays where it is.
  const others = chosenNow.filter((value) => !words.some((word) => word.value === value));
  const value = await chooseSeveral<unknown>(context.streams, {
    ...question,
    choices: [...words, ...others.map((other) => ({ value: other, label: String(other) }))],
    required: mustBeGiven,
    isChosen: (word) => chosenNow.includes(word),
  });
  if (value.length === 0 && chosenNow.length === 0) return undefined;
  return { value, shown: shownOf(field, value) };
}

/** The words of an enumeration to choose from; of a new record only those that it may have. */
function wordsOf(
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

async function askOne(
  context: Context,
  { operation, present }: AskedField,
  entry: BodyField,
  question: Question,
): Promise<Answer | undefined> {
  const { target = '' } = entry.field.traits;
  const resource = context.api.resource(target);
  const before = present.get(entry.name)?.found?.[0];
  const isFree = canBeLeftOut(entry, operation);
  const none = isFree ? (operation.effect === 'update' ? 'nothing' : 'leave it out') : undefined;
  const found = resource?.list
    ? await findRecord(context, resource, { ...question, none, present: before })
    : await findReference(context, target, { ...question, none, present: before });
  if (!found) return nothing(entry, operation);
  return { value: found.id, shown: found.label, found: [found] };
}

async function askMany(
  context: Context,
  asked: AskedField,
  entry: BodyField,
  given: Question,
): Promise<Answer | undefined> {
  const { field, name } = entry;
  const { draft, sheet } = asked;
  const chosen = asked.present.get(name)?.found ?? [];
  const hasLines = linkFields(field).length > 0;
  let question = given;
  if (sheet && field.traits.amount !== undefined) {
    const all = await allRecords(context, field.traits.target ?? '', chosen);
    if (all) return askLines(context, { ...asked, entry, found: all });
    const last = chosen.length === 0 ? await asked.earlier(entry) : undefined;
    if (last) {
      const session = await context.session();
      draft.found ??= await readNames(session, field.traits.target ?? '', [...last.numbers.keys()]);
    }
    question = { ...given, hint: 'There are too many for one table: choose those that you want to fill in.' };
  }
  for (;;) {
    const found = await chooseMany(context, entry, question, draft.found ?? chosen);
    if (found.length === 0 && chosen.length === 0) return undefined;
    if (!hasLines) {
      const shown = found.map(({ label }) => label).join(', ') || 'nothing';
      return { value: found.map(({ id }) => ({ id })), shown, found };
    }
    draft.found = found;
    try {
      const answer = await askLines(context, { ...asked, entry, found, canGoBack: true });
      draft.found = undefined;
      return answer;
    } catch (error) {
      // The question before the lines is which records they are of.
      if (!(error instanceof WentBack)) throw error;
    }
  }
}

function chooseMany(
  context: Context,
  { field, mustBeGiven }: BodyField,
  question: Question,
  chosen: readonly Found[],
): Promise<Found[]> {
  const { target = '', only } = field.traits;
  const resource = context.api.resource(target);
  return resource?.list
    ? findRecords(context, resource, { ...question, only, chosen, required: mustBeGiven })
    : findReferences(context, target, { ...question, chosen, required: mustBeGiven });
}

function secretProblem(entry: BodyField, { operation }: AskedField): (text: string) => string | undefined {
  const isNeeded = entry.mustBeGiven && operation.effect !== 'update';
  return (text) => (isNeeded && text === '' ? `${labelOfField(entry)} is needed.` : undefined);
}

async function askText(
  context: Context,
  asked: AskedField,
  entry: BodyField,
  question: Question,
): Promise<StepAnswers> {
  const { name, field, mustBeGiven } = entry;
  const { operation, present } = asked;
  const before = present.get(name);
  const label = labelOfField(entry);
  const initial = before ? (typedText(field, before.value) ?? JSON.stringify(before.value)) : '';
  const read = (text: string): Understood => {
    // What was there is what it was, in whichever way it would be read.
    if (before && text === initial) return { value: before.value };
    return understand(field, text, { now: context.now() });
  };
  const isEmpty = (text: string) => text.trim() === '';
  const validate = (text: string): string | undefined => {
    if (isEmpty(text)) return emptyProblem(entry, operation, initial, mustBeGiven);
    const { value, problem } = read(text);
    return problem === undefined ? problemWith(asked, name, label, value) : `${label} ${problem}.`;
  };
  const text = await ask(context.streams, {
    ...question,
    initial,
    validate,
    understood: (typed) => (isEmpty(typed) ? undefined : read(typed).shown),
  });
  if (isEmpty(text)) {
    if (initial === '' || operation.effect !== 'update') return new Map([[name, undefined]]);
    const value = field.traits.nullable ? null : '';
    return new Map([[name, { value, shown: 'nothing' }]]);
  }
  const { value, beside = {} } = read(text);
  const others = operation.body.flatMap((other) =>
    Object.hasOwn(beside, other.name)
      ? [[other.name, answerFor(other.field, beside[other.name])] as const]
      : [],
  );
  return new Map<string, Answer | undefined>([[name, answerFor(field, value)], ...others]);
}

function emptyProblem(
  entry: BodyField,
  { effect }: Operation,
  initial: string,
  mustBeGiven: boolean,
): string | undefined {
  const label = labelOfField(entry);
  if (mustBeGiven && effect !== 'update') return `${label} is needed.`;
  if (effect !== 'update' || initial === '') return undefined;
  const { nullable, required } = entry.field.traits;
  const canBeEmpty = nullable || (entry.field.kind === 'text' && !required);
  return canBeEmpty ? undefined : `${label} can’t be empty.`;
}
