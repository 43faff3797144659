/** Lets the user search and choose records on the terminal. */
import { Failure } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import {
  type NamedRecord,
  namedRecordOf,
  type RecordEntriesOptions,
  recordEntries,
} from './record-entries.ts';
import { ask, pick, pickSeveral } from './terminal/prompts.ts';
import { type Choice, fixedEntries, type Question } from './terminal/questions.ts';

export type { NamedRecord } from './record-entries.ts';

/** A question answered with one record. */
export interface FindRecordOptions extends Question, Omit<RecordEntriesOptions, 'resource'> {
  /** The label of an entry that chooses no record, such as "(skip)". */
  skipLabel?: string | undefined;
  /** The text that the search starts with. */
  searchText?: string | undefined;
  /** The current record. */
  current?: NamedRecord | undefined;
}

/** Asks for one record, or for its ID if the token may not list records. Returns undefined if the question is skipped. */
export async function findRecord(
  context: Context,
  resource: Resource,
  options: FindRecordOptions,
): Promise<NamedRecord | undefined> {
  const { skipLabel, current, deleted, valueFilter, emptyMessage, ...question } = options;
  const leading: Choice<NamedRecord | undefined>[] =
    skipLabel === undefined ? [] : [{ value: undefined, label: skipLabel, key: '' }];
  const pinned = current ? [current] : [];
  const session = await context.session();
  const entries = recordEntries(session, {
    resource,
    deleted,
    valueFilter,
    emptyMessage,
    leading,
    pinned,
  });
  try {
    return await pick<NamedRecord | undefined>(context.streams, { ...question, entries, initial: current });
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return askForId(context, question, skipLabel);
  }
}

/** A question answered with several records. */
export interface FindRecordsOptions extends Question, Omit<RecordEntriesOptions, 'resource' | 'pinned'> {
  /** Whether Enter chooses the record at the cursor if none was chosen. */
  enterChoosesCurrent?: boolean | undefined;
  chosen: readonly NamedRecord[];
  required: boolean;
  /** Receives the chosen records when the user goes back instead of answering. */
  onBack?: ((chosen: readonly NamedRecord[]) => void) | undefined;
}

/** Asks for several records, or for their IDs if the token may not list records. */
export async function findRecords(
  context: Context,
  resource: Resource,
  { valueFilter, deleted, emptyMessage, chosen, onBack, ...question }: FindRecordsOptions,
): Promise<NamedRecord[]> {
  const initialChoices = chosen.map((record) => ({ value: record, label: record.label, key: record.id }));
  const entries = recordEntries(await context.session(), {
    resource,
    valueFilter,
    deleted,
    emptyMessage,
    pinned: chosen,
  });
  try {
    const answers = await pickSeveral<NamedRecord | undefined>(context.streams, {
      ...question,
      entries,
      chosen: initialChoices,
      onBack: (chosenRecords) => onBack?.(chosenRecords.filter((record) => record !== undefined)),
    });
    return answers.filter((record) => record !== undefined);
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return askForIds(context, question, chosen);
  }
}

/** The maximum number of rows in a table of all records: some services allow only 30 requests per minute. */
const maxTableRows = 500;

/** Returns all records for a table, the chosen records first. Returns undefined if they can't be listed. */
export async function readTableRecords(
  context: Context,
  target: string,
  chosen: readonly NamedRecord[],
): Promise<NamedRecord[] | 'too many' | undefined> {
  try {
    return await readRecordsUpToLimit(context, target, chosen);
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return undefined;
  }
}

async function readRecordsUpToLimit(
  context: Context,
  target: string,
  chosen: readonly NamedRecord[],
): Promise<NamedRecord[] | 'too many' | undefined> {
  const resource = context.api.resource(target);
  const list = resource && operation(resource, 'list');
  if (!resource || !list) return undefined;
  const session = await context.session();
  const reading = session.list({ operation: list, query: {} });
  const records: NamedRecord[] = [...chosen];
  const indexes = new Map(chosen.map(({ id }, index) => [id, index]));
  for await (const batch of reading.batches()) {
    const { total = 0 } = reading.summary();
    for (const row of batch) {
      const record = namedRecordOf(resource, row);
      const index = indexes.get(record.id);
      if (index === undefined) records.push(record);
      else records[index] = record;
    }
    if (Math.max(total, records.length) > maxTableRows) return 'too many';
  }
  return records;
}

/** Asks for a record that the API doesn't list, such as a branch, warehouse or product: by name if boh has its name. */
export async function findReference(
  context: Context,
  target: string,
  { skipLabel, current, ...question }: FindRecordOptions,
): Promise<NamedRecord | undefined> {
  const references = await readReferences(context, target, current ? [current] : []);
  if (references.length === 0) {
    return askForId(context, { ...question, hint: noNamesHint(context, target), current }, skipLabel);
  }
  const choices: Choice<NamedRecord | undefined | typeof otherById>[] = [
    ...(skipLabel === undefined ? [] : [{ value: undefined, label: skipLabel, key: '' }]),
    ...references.map(referenceChoice),
    { ...otherByIdChoice, label: 'Enter an ID…' },
  ];
  const initial = references.find(({ id }) => id === current?.id);
  const entries = fixedEntries(choices);
  const answer = await pick(context.streams, { ...question, entries, initial });
  return answer === otherById ? askForId(context, question, skipLabel) : answer;
}

const otherById = Symbol('other by ID');
const otherByIdChoice: Choice<typeof otherById> = {
  value: otherById,
  label: 'Enter IDs…',
  key: '=others',
};

/** Asks for several records that the API doesn't list. */
export async function findReferences(
  context: Context,
  target: string,
  { chosen, required, onBack, ...question }: FindRecordsOptions,
): Promise<NamedRecord[]> {
  const references = await readReferences(context, target, chosen);
  if (references.length === 0)
    return askForIds(context, { ...question, hint: noNamesHint(context, target) }, chosen);
  const choices: Choice<NamedRecord | typeof otherById>[] = [
    ...references.map(referenceChoice),
    otherByIdChoice,
  ];
  const isRecord = (record: NamedRecord | typeof otherById): record is NamedRecord => record !== otherById;
  const answers = await pickSeveral(context.streams, {
    ...question,
    required,
    entries: fixedEntries(choices),
    chosen: choices.filter(({ key }) => chosen.some(({ id }) => id === key)),
    onBack: (chosenRecords) => onBack?.(chosenRecords.filter(isRecord)),
  });
  const namedRecords = answers.filter(isRecord);
  if (namedRecords.length === answers.length) return namedRecords;
  const otherRecords = await askForIds(context, question, []);
  return [
    ...namedRecords,
    ...otherRecords.filter(({ id }) => !namedRecords.some((record) => record.id === id)),
  ];
}

/** Returns a hint that explains why records can't be chosen by name. */
function noNamesHint({ api }: Context, target: string): string {
  return `The API has no list of ${api.nounsOf(target)}: only names from earlier responses are known.`;
}

/** Returns the current records, and other records whose names earlier responses contained. */
async function readReferences(
  context: Context,
  target: string,
  currentRecords: readonly NamedRecord[],
): Promise<NamedRecord[]> {
  const session = await context.session();
  const references = await session.names.references(target, { search: true }).catch((error: unknown) => {
    if (error instanceof Failure && error.category !== 'interrupted') return [];
    throw error;
  });
  const otherReferences = references.filter(({ id }) => !currentRecords.some((record) => record.id === id));
  return [...currentRecords, ...otherReferences.map(({ id, name }) => ({ id, label: name }))];
}

function referenceChoice(reference: NamedRecord): Choice<NamedRecord> {
  return {
    value: reference,
    label: reference.label,
    key: reference.id,
    searchText: reference.id,
    description: `ID ${reference.id}`,
  };
}

/** Asks for the ID of a record that can't be listed. */
async function askForId(
  context: Context,
  { message, ...question }: Question & { current?: NamedRecord | undefined },
  skipLabel?: string,
): Promise<NamedRecord | undefined> {
  const validate = (id: string) =>
    id.trim() === '' && skipLabel === undefined ? 'An ID is required.' : undefined;
  const initial = question.current?.id ?? '';
  const idQuestion = { ...question, message: `${message} (ID)`, validate, initial };
  const id = (await ask(context.streams, idQuestion)).trim();
  return id === '' ? undefined : { id, label: id };
}

/** Asks for several IDs, separated by commas. */
async function askForIds(
  context: Context,
  { message, ...question }: Question,
  chosen: readonly NamedRecord[],
): Promise<NamedRecord[]> {
  const text = await ask(context.streams, {
    ...question,
    message: `${message} (IDs, separated by commas)`,
    initial: chosen.map(({ id }) => id).join(', '),
  });
  const ids = text.split(',').map((id) => id.trim());
  return ids
    .filter((id) => id !== '')
    .map((id) => chosen.find((record) => record.id === id) ?? { id, label: id });
}

/** Returns whether records can't be listed: the token may not, or the service has no such list. */
function isUnlistable(error: unknown): boolean {
  return error instanceof Failure && (error.category === 'not_allowed' || error.details.status === 404);
}
