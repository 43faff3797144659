/** Lets the user search and choose records on the terminal. */
import { Failure } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type Found, foundOf, type RecordsWanted, recordEntries } from './record-entries.ts';
import { ask, pick, pickSeveral } from './terminal/prompts.ts';
import { type Choice, fixedEntries, type Question } from './terminal/questions.ts';

export type { Found } from './record-entries.ts';

/** A question answered with one record. */
export interface FindOptions extends Question, Omit<RecordsWanted, 'resource' | 'first'> {
  /** The label of an entry that chooses no record, such as "(skip)". */
  none?: string | undefined;
  /** The text that the search starts with. */
  typed?: string | undefined;
  /** The present record. */
  present?: Found | undefined;
}

/** Asks for one record. Asks for its id if the token may not list records. Returns undefined if `none` is chosen. */
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

/** A question answered with several records. */
export interface FindSeveral extends Question, Omit<RecordsWanted, 'resource' | 'first' | 'pinned'> {
  /** Whether Enter chooses the record at the cursor if none was chosen. */
  enterChoosesCurrent?: boolean | undefined;
  chosen: readonly Found[];
  required: boolean;
  /** Receives the chosen records when the person goes back instead of answering. */
  onBack?: ((chosen: readonly Found[]) => void) | undefined;
}

/** Asks for several records. Asks for their ids if the token may not list records. */
export async function findRecords(
  context: Context,
  resource: Resource,
  { only, deleted, ifNone, chosen, onBack, ...question }: FindSeveral,
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
      onBack: (left) => onBack?.(left.filter((one) => one !== undefined)),
    });
    return found.filter((one) => one !== undefined);
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
    return findByIds(context, question, chosen);
  }
}

/** Rows of a table of all records at most: some services allow only 30 requests per minute. */
const maxTableRows = 500;

/** Returns all records, the chosen ones first; undefined if they can't be listed. */
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
  const indexes = new Map(chosen.map(({ id }, index) => [id, index]));
  for await (const batch of reading.batches()) {
    const { total = 0 } = reading.facts();
    for (const row of batch) {
      const one = foundOf(resource, row);
      const index = indexes.get(one.id);
      if (index === undefined) found.push(one);
      else found[index] = one;
    }
    if (Math.max(total, found.length) > maxTableRows) return 'too many';
  }
  return found;
}

/** Asks for a record of a kind that the API doesn't list (branch, warehouse, product), by its name if boh knows it. */
export async function findReference(
  context: Context,
  target: string,
  { none, present, ...question }: FindOptions,
): Promise<Found | undefined> {
  const known = await knownReferences(context, target, present ? [present] : []);
  if (known.length === 0) {
    return findById(context, { ...question, hint: noNamesHint(context, target), present }, none);
  }
  const choices: Choice<Found | undefined | typeof another>[] = [
    ...(none === undefined ? [] : [{ value: undefined, label: none, key: '' }]),
    ...known.map(choiceOfKnown),
    { ...others, label: 'another one, by id' },
  ];
  const initial = known.find(({ id }) => id === present?.id);
  const entries = fixedEntries(choices);
  const found = await pick(context.streams, { ...question, entries, initial });
  return found === another ? findById(context, question, none) : found;
}

const another = Symbol('another');
const others: Choice<typeof another> = { value: another, label: 'others, by id', key: '=others' };

/** Asks for several records of a kind that the API doesn't list. */
export async function findReferences(
  context: Context,
  target: string,
  { chosen, required, onBack, ...question }: FindSeveral,
): Promise<Found[]> {
  const known = await knownReferences(context, target, chosen);
  if (known.length === 0)
    return findByIds(context, { ...question, hint: noNamesHint(context, target) }, chosen);
  const choices: Choice<Found | typeof another>[] = [...known.map(choiceOfKnown), others];
  const isFound = (one: Found | typeof another): one is Found => one !== another;
  const found = await pickSeveral(context.streams, {
    ...question,
    required,
    entries: fixedEntries(choices),
    chosen: choices.filter(({ key }) => chosen.some(({ id }) => id === key)),
    onBack: (left) => onBack?.(left.filter(isFound)),
  });
  const named = found.filter(isFound);
  if (named.length === found.length) return named;
  const more = await findByIds(context, question, []);
  return [...named, ...more.filter(({ id }) => !named.some((one) => one.id === id))];
}

/** Returns a hint that explains why records can't be chosen by name. */
function noNamesHint({ api }: Context, target: string): string {
  return `The API has no list of ${api.nounsOf(target)}: only names from earlier responses are known.`;
}

/** Returns the present records and those whose names boh has learned from answers. */
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

/** Asks for the id of a record that can't be listed. */
async function findById(
  context: Context,
  { message, ...question }: Question & { present?: Found | undefined },
  none?: string,
): Promise<Found | undefined> {
  const validate = (id: string) =>
    id.trim() === '' && none === undefined ? 'An id is required.' : undefined;
  const initial = question.present?.id ?? '';
  const asked = { ...question, message: `${message} (id)`, validate, initial };
  const id = (await ask(context.streams, asked)).trim();
  return id === '' ? undefined : { id, label: id };
}

/** Asks for several ids, separated by commas. */
async function findByIds(
  context: Context,
  { message, ...question }: Question,
  chosen: readonly Found[],
): Promise<Found[]> {
  const text = await ask(context.streams, {
    ...question,
    message: `${message} (ids, separated by commas)`,
    initial: chosen.map(({ id }) => id).join(', '),
  });
  const ids = text.split(',').map((id) => id.trim());
  return ids.filter((id) => id !== '').map((id) => chosen.find((it) => it.id === id) ?? { id, label: id });
}
