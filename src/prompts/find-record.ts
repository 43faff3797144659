/** Records found at the terminal: searched for in every column, chosen from what the service lists. */
import { Failure } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type Found, foundOf, type RecordsWanted, recordEntries } from './record-entries.ts';
import { ask, pick, pickSeveral } from './terminal/prompts.ts';
import { type Choice, fixedEntries, type Question } from './terminal/questions.ts';

export type { Found } from './record-entries.ts';

export interface FindOptions extends Question, Omit<RecordsWanted, 'resource' | 'first'> {
  /** What may be chosen instead of a record, such as "no more". Answers undefined. */
  none?: string | undefined;
  /** Typed already. */
  typed?: string | undefined;
  /** The one that is there now. */
  present?: Found | undefined;
}

/** Where the token may not list, the id itself is asked for. */
export async function findRecord(
  context: Context,
  resource: Resource,
  options: FindOptions,
): Promise<Found | undefined> {
  const { none, present, deleted, only, ifNone, ...question } = options;
  const first: Choice<Found | undefined>[] =
    none === undefined ? [] : [{ value: undefined, label: none, key: '' }];
  const pinned = present ? [present] : [];
  const session = await context.session();
  const entries = recordEntries(session, { resource, deleted, only, ifNone, first, pinned });
  try {
    return await pick<Found | undefined>(context.streams, { ...question, entries, initial: present });
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
    return findById(context, question, none);
  }
}

export interface FindSeveral extends Question, Omit<RecordsWanted, 'resource' | 'first' | 'pinned'> {
  /** Enter takes the one that the cursor is on where none was chosen. */
  takesHere?: boolean | undefined;
  chosen: readonly Found[];
  required: boolean;
  /** Hears of those that were chosen where the person goes back instead of answering. */
  onLeave?: ((chosen: readonly Found[]) => void) | undefined;
}

export async function findRecords(
  context: Context,
  resource: Resource,
  { only, deleted, ifNone, chosen, onLeave, ...question }: FindSeveral,
): Promise<Found[]> {
  const present = chosen.map((found) => ({ value: found, label: found.label, key: found.id }));
  const entries = recordEntries(await context.session(), {
    resource,
    only,
    deleted,
    ifNone,
    pinned: chosen,
  });
  try {
    const found = await pickSeveral<Found | undefined>(context.streams, {
      ...question,
      entries,
      chosen: present,
      onLeave: (left) => onLeave?.(left.filter((one) => one !== undefined)),
    });
    return found.filter((one) => one !== undefined);
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
    return findByIds(context, question, chosen);
  }
}

/** As many records as a table of all of them can have: a service may allow as few as 30 requests a minute. */
const mostTogether = 500;

/** Every record there is, those that are chosen first; undefined where they can’t be listed. */
export async function allRecords(
  context: Context,
  target: string,
  chosen: readonly Found[],
): Promise<Found[] | 'too many' | undefined> {
  try {
    return await readAll(context, target, chosen);
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
    return undefined;
  }
}

async function readAll(
  context: Context,
  target: string,
  chosen: readonly Found[],
): Promise<Found[] | 'too many' | undefined> {
  const resource = context.api.resource(target);
  const list = resource && operation(resource, 'list');
  if (!resource || !list) return undefined;
  const session = await context.session();
  const reading = session.list({ operation: list, query: {} });
  const found: Found[] = [...chosen];
  const places = new Map(chosen.map(({ id }, index) => [id, index]));
  for await (const batch of reading.batches()) {
    const { total = 0 } = reading.facts();
    for (const row of batch) {
      const one = foundOf(resource, row);
      const place = places.get(one.id);
      if (place === undefined) found.push(one);
      else found[place] = one;
    }
    if (Math.max(total, found.length) > mostTogether) return 'too many';
  }
  return found;
}

/** One of the records that the API has no list of, as far as their names are known: branches, warehouses, products. */
export async function findReference(
  context: Context,
  target: string,
  { none, present, ...question }: FindOptions,
): Promise<Found | undefined> {
  const known = await knownReferences(context, target, present ? [present] : []);
  if (known.length === 0) {
    return findById(context, { ...question, hint: notNamed(context, target), present }, none);
  }
  const choices: Choice<Found | undefined | typeof another>[] = [
    ...(none === undefined ? [] : [{ value: undefined, label: none, key: '' }]),
    ...known.map(choiceOfKnown),
    { ...others, label: 'another one, by its id' },
  ];
  const initial = known.find(({ id }) => id === present?.id);
  const entries = fixedEntries(choices);
  const found = await pick(context.streams, { ...question, entries, initial });
  return found === another ? findById(context, question, none) : found;
}

const another = Symbol('another');
const others: Choice<typeof another> = { value: another, label: 'others, by their ids', key: '=others' };

export async function findReferences(
  context: Context,
  target: string,
  { chosen, required, onLeave, ...question }: FindSeveral,
): Promise<Found[]> {
  const known = await knownReferences(context, target, chosen);
  if (known.length === 0) return findByIds(context, { ...question, hint: notNamed(context, target) }, chosen);
  const choices: Choice<Found | typeof another>[] = [...known.map(choiceOfKnown), others];
  const isFound = (one: Found | typeof another): one is Found => one !== another;
  const found = await pickSeveral(context.streams, {
    ...question,
    required,
    entries: fixedEntries(choices),
    chosen: choices.filter(({ key }) => chosen.some(({ id }) => id === key)),
    onLeave: (left) => onLeave?.(left.filter(isFound)),
  });
  const named = found.filter(isFound);
  if (named.length === found.length) return named;
  const more = await findByIds(context, question, []);
  return [...named, ...more.filter(({ id }) => !named.some((one) => one.id === id))];
}

/** Why nothing is chosen by name. */
function notNamed({ api }: Context, target: string): string {
  return `The API has no list of ${api.nounsOf(target)}, and none is known by name yet; answers that show them teach their names.`;
}

/** Those that are there already, and those whose names answers have shown. */
async function knownReferences(
  context: Context,
  target: string,
  present: readonly Found[],
): Promise<Found[]> {
  const session = await context.session();
  const learned = await session.references(target).catch((error: unknown) => {
    if (error instanceof Failure && error.category !== 'interrupted') return [];
    throw error;
  });
  const others = learned.filter(({ id }) => !present.some((one) => one.id === id));
  return [...present, ...others.map(({ id, name }) => ({ id, label: name }))];
}

function choiceOfKnown(found: Found): Choice<Found> {
  return {
    value: found,
    label: found.label,
    key: found.id,
    searched: found.id,
    description: `id ${found.id}`,
  };
}

/** The id itself, for records that can't be listed. */
async function findById(
  context: Context,
  { message, ...question }: Question & { present?: Found | undefined },
  none?: string,
): Promise<Found | undefined> {
  const validate = (id: string) => (id.trim() === '' && none === undefined ? 'An id is needed.' : undefined);
  const initial = question.present?.id ?? '';
  const asked = { ...question, message: `${message} (its id)`, validate, initial };
  const id = (await ask(context.streams, asked)).trim();
  return id === '' ? undefined : { id, label: id };
}

/** Several of them, with commas between. */
async function findByIds(
  context: Context,
  { message, ...question }: Question,
  chosen: readonly Found[],
): Promise<Found[]> {
  const text = await ask(context.streams, {
    ...question,
    message: `${message} (ids, with commas between)`,
    initial: chosen.map(({ id }) => id).join(', '),
  });
  const ids = text.split(',').map((id) => id.trim());
  return ids.filter((id) => id !== '').map((id) => chosen.find((it) => it.id === id) ?? { id, label: id });
}
