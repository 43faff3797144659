/** Asks for records on the terminal: with a searchable list, or for their IDs if they can't be listed. */

import { isRow } from '../../account/client/shape.ts';
import type { UnresolvedLookup } from '../../account/session/names.ts';
import type { Session } from '../../account/session/session.ts';
import { type Operation, operation as operationOf } from '../../api/contract/operation.ts';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../context/context.ts';
import { inferTitle } from '../output/wording.ts';
import {
  type NamedRecord,
  namedRecordOf,
  RecordEntries,
  type RecordEntriesOptions,
} from './record-entries.ts';
import { promptsFor } from './terminal/prompts.ts';
import {
  BackRequested,
  type Choice,
  type Entries,
  type Question,
  type TextQuestion,
} from './terminal/questions.ts';

/** A question about records, and which of them can be chosen. */
interface FindOptions
  extends Question,
    Pick<RecordEntriesOptions, 'deleted' | 'valueFilter' | 'emptyMessage'> {}

export interface FindRecordOptions extends FindOptions {
  /** The label of an entry that chooses no record, such as "(skip)". */
  skipLabel?: string | undefined;
  current?: NamedRecord | undefined;
}

export interface FindRecordsOptions extends FindOptions {
  /** Whether Enter chooses the record at the cursor if none was chosen. */
  enterChoosesCurrent?: boolean | undefined;
  chosen: readonly NamedRecord[];
  required: boolean;
}

const byId = Symbol('by ID');

type Answer = NamedRecord | typeof byId | undefined;

/** Asks for one record. Returns undefined if the question is skipped. */
export async function findRecord(
  context: Context,
  target: string,
  { skipLabel, current, ...options }: FindRecordOptions,
): Promise<NamedRecord | undefined> {
  const { deleted, valueFilter, emptyMessage, ...question } = options;
  const skip = skipLabel === undefined ? [] : [{ value: undefined, label: skipLabel, key: '' }];
  const prompts = await promptsFor(context.streams);
  const askForId = async (changes: Partial<TextQuestion> = {}) => {
    const id = await prompts.ask({
      ...question,
      ...changes,
      message: `${question.message} (ID)`,
      validate: (text) => (text.trim() === '' && skipLabel === undefined ? 'An ID is required.' : undefined),
    });
    return id.trim() === '' ? undefined : { id: id.trim(), label: id.trim() };
  };
  const pinned = current ? [current] : [];
  const entries = await entriesFor(context, target, { deleted, valueFilter, emptyMessage, skip, pinned });
  if (!entries) return askForId({ hint: noNamesHint(context, target), initial: current?.id ?? '' });
  const answer = await prompts
    .pick<Answer>({ ...question, entries, initial: current })
    .catch(byIdIfUnlistable);
  return answer === byId ? askForId() : answer;
}

export async function findRecords(
  context: Context,
  target: string,
  { chosen, deleted, valueFilter, emptyMessage, ...question }: FindRecordsOptions,
): Promise<NamedRecord[]> {
  const prompts = await promptsFor(context.streams);
  const askForIds = async (known: readonly NamedRecord[], hint = question.hint) => {
    const text = await prompts.ask({
      ...question,
      hint,
      message: `${question.message} (IDs, separated by commas)`,
      initial: known.map(({ id }) => id).join(', '),
    });
    const ids = text.split(',').map((id) => id.trim());
    return ids
      .filter((id) => id !== '')
      .map((id) => known.find((record) => record.id === id) ?? { id, label: id });
  };
  const entries = await entriesFor(context, target, { deleted, valueFilter, emptyMessage, pinned: chosen });
  if (!entries) return askForIds(chosen, noNamesHint(context, target));
  const answers = await prompts
    .pickSeveral<Answer>({ ...question, entries, chosen: chosen.map(referenceChoice) })
    .catch((error: unknown): typeof byId => {
      if (!(error instanceof BackRequested) || !Array.isArray(error.draft)) return byIdIfUnlistable(error);
      throw new BackRequested(error.draft.filter(isRecord));
    });
  if (answers === byId) return askForIds(chosen);
  const records = answers.filter(isRecord);
  if (!answers.includes(byId)) return records;
  const otherRecords = await askForIds([]);
  return [...records, ...otherRecords.filter(({ id }) => !records.some((record) => record.id === id))];
}

function isRecord(answer: Answer): answer is NamedRecord {
  return answer !== undefined && answer !== byId;
}

function byIdIfUnlistable(error: unknown): typeof byId {
  if (!isUnlistable(error)) throw error;
  return byId;
}

/** Returns whether records can't be listed: the token may not, or the service has no such list. */
function isUnlistable(error: unknown): boolean {
  return error instanceof Failure && (error.category === 'not_allowed' || error.details.status === 404);
}

/**
 * Returns the records to choose from. If the API has no list of them, such as branches, warehouses and products, these are
 * the ones whose names earlier responses contained; undefined if there are none.
 */
async function entriesFor(
  context: Context,
  target: string,
  {
    skip,
    pinned,
    ...options
  }: Omit<RecordEntriesOptions, 'resource' | 'leading'> & {
    skip?: readonly Choice<undefined>[];
    pinned: readonly NamedRecord[];
  },
): Promise<Entries<Answer> | Choice<Answer>[] | undefined> {
  const session = await context.session();
  const resource = context.api.resource(target);
  if (resource?.list) return new RecordEntries(session, { resource, ...options, leading: skip, pinned });
  const references = await session.names.references(target, { search: true }).catch((error: unknown) => {
    if (error instanceof Failure && error.category !== 'interrupted') return [];
    throw error;
  });
  const others = references.filter(({ id }) => !pinned.some((record) => record.id === id));
  const records = [...pinned, ...others.map(({ id, name }) => ({ id, label: name }))];
  if (records.length === 0) return undefined;
  const label = skip ? 'Enter an ID…' : 'Enter IDs…';
  return [...(skip ?? []), ...records.map(referenceChoice), { value: byId, label, key: '=others' }];
}

/** Returns a hint that explains why records can't be chosen by name. */
function noNamesHint({ api }: Context, target: string): string {
  return `The API has no list of ${api.nounsOf(target)}: only names from earlier responses are known.`;
}

function referenceChoice(record: NamedRecord): Choice<NamedRecord> {
  const { id, label } = record;
  return { value: record, label, key: id, searchText: id, description: `ID ${id}` };
}

/** The maximum number of rows in a table of all records: some services allow only 30 requests per minute. */
const maxTableRows = 500;

/** Returns all records for a table, the chosen records first. Returns undefined if they can't be listed. */
export async function readTableRecords(
  context: Context,
  target: string,
  chosen: readonly NamedRecord[],
): Promise<NamedRecord[] | 'too many' | undefined> {
  const resource = context.api.resource(target);
  const list = resource && operationOf(resource, 'list');
  if (!resource || !list) return undefined;
  const reading = (await context.session()).list({ operation: list, query: {} });
  const records = new Map(chosen.map((record) => [record.id, record]));
  try {
    for await (const batch of reading.batches()) {
      for (const row of batch) records.set(String(row.id), namedRecordOf(resource, row));
      if (Math.max(reading.summary().total ?? 0, records.size) > maxTableRows) return 'too many';
    }
    return [...records.values()];
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return undefined;
  }
}

export async function askIds(
  context: Context,
  operation: Operation,
  initialIds: readonly string[],
): Promise<string[]> {
  const { api } = context;
  const verb = actionVerb(operation);
  const ids = [...initialIds];
  while (ids.length < operation.params.length) {
    const { target = '' } = operation.params[ids.length] ?? {};
    const canGoBack = ids.length > initialIds.length;
    try {
      const record =
        operation.effect === 'unlink' && ids[0] !== undefined
          ? await askForLinkedRecord(context, operation, ids[0], target, canGoBack)
          : await findRecord(context, target, {
              message: operation.link?.questions?.[ids.length] ?? `Which ${api.nounOf(target)} to ${verb}?`,
              ...restrictionsOf(operation, api.nounsOf(target)),
              canGoBack,
            });
      if (!record) throw usage(`No ${api.nounsOf(target)} to ${verb}.`);
      ids.push(record.id);
    } catch (error) {
      if (!(error instanceof BackRequested)) throw error;
      ids.pop();
    }
  }
  return ids;
}

/** Asks for one or more records of the operation's resource and returns their IDs. */
export async function askSeveralIds(context: Context, operation: Operation): Promise<string[]> {
  const { resource } = operation;
  const records = await findRecords(context, resource.name, {
    message: `Which ${resource.nouns} to ${actionVerb(operation)}?`,
    ...restrictionsOf(operation, resource.nouns),
    chosen: [],
    required: true,
    enterChoosesCurrent: true,
  });
  return records.map(({ id }) => id);
}

async function askForLinkedRecord(
  context: Context,
  { resource, link }: Operation,
  id: string,
  target: string,
  canGoBack: boolean,
): Promise<NamedRecord | undefined> {
  const get = operationOf(resource, 'get');
  const field = link?.field ?? '';
  const message = `Which ${context.api.nounOf(target)} to unlink?`;
  if (!get) return findRecord(context, target, { message, canGoBack });
  const session = await context.session();
  const { record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } });
  const linkedRows = Array.isArray(record[field]) ? record[field].filter(isRow) : [];
  if (linkedRows.length === 0) return undefined;
  const entries = linkedRows.map((row) => referenceChoice({ id: String(row.id), label: inferTitle(row) }));
  return (await promptsFor(context.streams)).pick({ message, entries, canGoBack });
}

function restrictionsOf(operation: Operation, nouns: string): Pick<FindOptions, 'deleted' | 'emptyMessage'> {
  const deleted = operation.effect === 'restore';
  return { deleted, emptyMessage: `No ${deleted ? 'deleted ' : ''}${nouns} to ${actionVerb(operation)}.` };
}

function actionVerb({ effect, verb }: Operation): string {
  return effect === 'get' ? 'show' : (verb.split('-')[0] ?? verb);
}

/** The maximum number of pages that are read to find similar records. */
const maxPages = 3;

/** Asks which record a lookup means. Returns undefined if no record is similar. */
export async function chooseRecord(
  { streams }: Context,
  session: Session,
  { resource, text, deleted, hasSimilar, hasSeveralMatches }: UnresolvedLookup,
): Promise<string | undefined> {
  const [, name = ''] = /^@(?:[\w.-]+:)?(.*)$/s.exec(text) ?? [];
  const pagesPerSearch = hasSimilar ? undefined : maxPages;
  const entries = new RecordEntries(session, { resource, deleted, pagesPerSearch });
  if (!hasSimilar) {
    await entries.load(name, 1);
    if (entries.findMatches(name).length === 0) return undefined;
  }
  const message = hasSeveralMatches
    ? `Several ${resource.nouns} match "${name}". Which one?`
    : `No ${resource.noun} matches "${name}". Which one did you mean?`;
  return (await (await promptsFor(streams)).pick({ message, entries, searchText: name }))?.id;
}
