/** Asks for the records that a command applies to: for missing IDs, and for `@NAME` lookups with no match or several. */
import { usage } from '../base/errors.ts';
import { isRow } from '../client/shape.ts';
import type { Context } from '../context/context.ts';
import { type Operation, operation as operationOf } from '../contract/operation.ts';
import { inferTitle } from '../output/wording.ts';
import type { UnresolvedLookup } from '../session/names.ts';
import type { Session } from '../session/session.ts';
import { findRecord, findRecords, findReference } from './find-record.ts';
import { type NamedRecord, recordEntries } from './record-entries.ts';
import { pick } from './terminal/prompts.ts';
import { BackRequested, fixedEntries } from './terminal/questions.ts';

/** Asks for the missing IDs of an operation and returns all of them. */
export async function askIds(
  context: Context,
  operation: Operation,
  initialIds: readonly string[],
): Promise<string[]> {
  const ids = [...initialIds];
  while (ids.length < operation.params.length) {
    const { target = '' } = operation.params[ids.length] ?? {};
    const canGoBack = ids.length > initialIds.length;
    try {
      const record =
        operation.effect === 'unlink' && ids[0] !== undefined
          ? await askForLinkedRecord(context, operation, ids[0], target, canGoBack)
          : await askForTarget(context, operation, target, { position: ids.length, canGoBack });
      if (!record) throw usage(`No ${context.api.nounsOf(target)} to ${actionVerb(operation)}.`);
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
  const { resource, effect } = operation;
  const deletedOnly = effect === 'restore';
  const records = await findRecords(context, resource, {
    message: `Which ${resource.nouns} to ${actionVerb(operation)}?`,
    deleted: deletedOnly,
    emptyMessage: noRecordsMessage(operation, resource.nouns),
    chosen: [],
    required: true,
    enterChoosesCurrent: true,
  });
  return records.map(({ id }) => id);
}

function askForTarget(
  context: Context,
  operation: Operation,
  target: string,
  { position, canGoBack }: { position: number; canGoBack: boolean },
): Promise<NamedRecord | undefined> {
  const { api } = context;
  const resource = api.resource(target);
  const message =
    operation.link?.questions?.[position] ?? `Which ${api.nounOf(target)} to ${actionVerb(operation)}?`;
  if (!resource?.list) return findReference(context, target, { message, canGoBack });
  const deletedOnly = operation.effect === 'restore';
  const emptyMessage = noRecordsMessage(operation, resource.nouns);
  return findRecord(context, resource, {
    message,
    deleted: deletedOnly,
    emptyMessage,
    canGoBack,
  });
}

/** Asks which link to remove. */
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
  if (!get) return findReference(context, target, { message, canGoBack });
  const session = await context.session();
  const { record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } });
  const linkedRows = Array.isArray(record[field]) ? record[field].filter(isRow) : [];
  if (linkedRows.length === 0) return undefined;
  const choices = linkedRows.map((row) => {
    const record = { id: String(row.id), label: inferTitle(row) };
    const description = `ID ${record.id}`;
    return { value: record, label: record.label, key: record.id, searchText: record.id, description };
  });
  return pick(context.streams, { message, entries: fixedEntries(choices), canGoBack });
}

function noRecordsMessage(operation: Operation, nouns: string): string {
  const deleted = operation.effect === 'restore' ? 'deleted ' : '';
  return `No ${deleted}${nouns} to ${actionVerb(operation)}.`;
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
  const entries = recordEntries(session, {
    resource,
    deleted,
    pagesPerSearch: hasSimilar ? undefined : maxPages,
  });
  if (!hasSimilar) {
    await entries.load(name, 1);
    if (entries.findMatches(name).length === 0) return undefined;
  }
  const message = hasSeveralMatches
    ? `Several ${resource.nouns} match "${name}". Which one?`
    : `No ${resource.noun} matches "${name}". Which one did you mean?`;
  return (await pick(streams, { message, entries, searchText: name }))?.id;
}
