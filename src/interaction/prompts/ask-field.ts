/** One question for one field, by the kind of its value. */
import type { Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { readText } from '../../contract/text.ts';
import { validateBody } from '../../contract/validate.ts';
import { ask, askHidden, choose, chooseSeveral, confirm } from '../../terminal/prompts.ts';
import type { Context } from '../context.ts';
import { forPeople, type KindForPeople } from '../kinds.ts';
import { mask } from '../output/mask.ts';
import { headerOf } from '../output/record-words.ts';
import { type Found, findById, findRecord } from './find-record.ts';

/** A value for the body, and how it is shown in the summary. */
export interface Answer {
  value: unknown;
  shown: string;
}

export interface Asked extends BodyField {
  operation: Operation;
  /** What is known of the body so far: some rules look at two fields. */
  body: Row;
  /** Enter alone leaves it out. */
  optional: boolean;
}

/** Undefined where an optional field is left out after all. */
export async function askField(context: Context, asked: Asked): Promise<Answer | undefined> {
  const { name, field } = asked;
  const { streams } = context;
  const message = questionFor(name, field);
  if (field.traits.secret) {
    const value = await askHidden(streams, { message });
    return value === '' ? undefined : { value, shown: mask };
  }
  return questions[forPeople(field).asked](context, asked, message);
}

type Question = (context: Context, asked: Asked, message: string) => Promise<Answer | undefined>;

const questions: Readonly<Record<KindForPeople['asked'], Question>> = {
  text: askText,
  'yes or no': async ({ streams }, _, message) => {
    const value = await confirm(streams, { message });
    return { value, shown: value ? 'yes' : 'no' };
  },
  word: ({ streams }, { field, operation }, message) =>
    choose(streams, { message, choices: wordsOf(field, operation) }),
  words: askSeveral,
  record: async (context, asked, message) => {
    const found = await find(context, asked, message, asked.optional ? 'none' : undefined);
    return found && { value: found.id, shown: found.label };
  },
  records: askLinks,
};

/** `Cost (its cost, where that is fixed; in currency for one storage unit)`: what goes here, and in which unit. */
function questionFor(name: string, { traits: { about = '', unit } }: Field): string {
  const label = labelFor(name);
  const isPlain = about.toLowerCase() === `the ${label.toLowerCase()}`;
  const notes = [isPlain ? '' : about.charAt(0).toLowerCase() + about.slice(1), unit ? `in ${unit}` : ''];
  const aside = notes.filter((note) => note !== '').join('; ');
  return aside === '' ? label : `${label} (${aside})`;
}

/** `Category` for `category_id`. */
export function labelFor(name: string): string {
  const header = headerOf(name.replace(/_id$/, ''));
  return header.charAt(0).toUpperCase() + header.slice(1);
}

async function askText(context: Context, asked: Asked, message: string): Promise<Answer | undefined> {
  const { name, field, optional } = asked;
  const validate = (text: string): string | undefined => {
    if (text === '' && optional) return undefined;
    const { value, problem } = readText(field, text);
    return problem === undefined ? problemWith(asked, value) : `${labelFor(name)} ${problem}.`;
  };
  const text = await ask(context.streams, { message, validate });
  if (text === '' && optional) return undefined;
  return { value: readText(field, text).value, shown: text };
}

/** What the contract says against a value, held together with what is known of the others. */
function problemWith({ operation, body, name }: Asked, value: unknown): string | undefined {
  const found = Object.entries(validateBody(operation, { ...body, [name]: value }));
  const [, messages = []] = found.find(([path]) => path.split('.')[0] === name) ?? [];
  return messages[0] && `${labelFor(name)} ${messages[0]}.`;
}

async function askSeveral(context: Context, asked: Asked, message: string): Promise<Answer | undefined> {
  const { field, operation, optional } = asked;
  const choices = wordsOf(field, operation);
  const chosen = await chooseSeveral(context.streams, { message, choices, required: !optional });
  if (chosen.length === 0) return undefined;
  return {
    value: chosen.map(({ value }) => value),
    shown: chosen.map(({ shown }) => shown).join(', '),
  };
}

/** The words of an enumeration to choose from; of a new record only those that it may have. */
function wordsOf({ traits }: Field, { effect }: Operation): { value: Answer; label: string }[] {
  const { words = {}, allowed = Object.keys(words), creatable } = traits;
  return allowed
    .map((word) => ({ value: { value: words[word] ?? word, shown: word }, label: word }))
    .filter(({ value: { value } }) => effect !== 'create' || !creatable || creatable.includes(Number(value)));
}

/** Records one after another, until there are no more. */
async function askLinks(context: Context, asked: Asked, message: string): Promise<Answer | undefined> {
  const links: Row[] = [];
  const shown: string[] = [];
  for (;;) {
    const isFirst = links.length === 0;
    const none = isFirst ? (asked.optional ? 'none' : undefined) : 'no more';
    const found = await find(context, asked, isFirst ? message : `${labelFor(asked.name)}: another?`, none);
    if (!found) break;
    const number = await askAmount(context, asked, links, found);
    links.push({ id: found.id, ...number });
    shown.push([found.label, ...Object.values(number)].join(': '));
  }
  return links.length === 0 ? undefined : { value: links, shown: shown.join(', ') };
}

/** The number that a link carries, where it carries one. */
async function askAmount(
  context: Context,
  asked: Asked,
  links: readonly Row[],
  { id, label }: Found,
): Promise<Record<string, unknown>> {
  const { amount = '', pivot } = asked.field.traits;
  const field = pivot?.[amount];
  if (!field) return {};
  const validate = (text: string) => {
    const { value, problem } = readText(field, text);
    if (problem !== undefined) return `${labelFor(amount)} ${problem}.`;
    return problemWith(asked, [...links, { id, [amount]: value }]);
  };
  const text = await ask(context.streams, { message: `${questionFor(amount, field)} of ${label}`, validate });
  return { [amount]: readText(field, text).value };
}

/** Records of the API are searched for; of what has no endpoints only the id can be given. */
function find(
  context: Context,
  { field }: Asked,
  message: string,
  none: string | undefined,
): Promise<Found | undefined> {
  const { target = '' } = field.traits;
  const resource = context.api.resource(target);
  const options = none === undefined ? { message } : { message, none };
  return resource?.list
    ? findRecord(context, resource, options)
    : findById(context, `${message}: ${context.api.nounOf(target)}`, none);
}
