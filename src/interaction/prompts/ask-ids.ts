/** Ids that were left out, asked for one after another. */
import { isRow } from '../../client/shape.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { usage } from '../../errors.ts';
import { choose } from '../../terminal/prompts.ts';
import { WentBack } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { titleOf } from '../output/wording.ts';
import { findRecord, findRecords, findReference } from './find-record.ts';
import type { Found } from './record-entries.ts';

/** All ids of the operation: those given, then those found. */
export async function askIds(
  context: Context,
  operation: Operation,
  given: readonly string[],
): Promise<string[]> {
  const ids = [...given];
  while (ids.length < operation.params.length) {
    const { target = '' } = operation.params[ids.length] ?? {};
    const canGoBack = ids.length > given.length;
    try {
      const found =
        operation.effect === 'unlink' && ids[0] !== undefined
          ? await findLinked(context, operation, ids[0], target, canGoBack)
          : await findTarget(context, operation, target, canGoBack);
      if (!found) throw usage(`There is no ${context.api.nounOf(target)} to ${actionWord(operation)}.`);
      ids.push(found.id);
    } catch (error) {
      if (!(error instanceof WentBack)) throw error;
      ids.pop();
    }
  }
  return ids;
}

/** Records of the operation’s resource, any number of them: one at least. */
export async function askSeveralIds(context: Context, operation: Operation): Promise<string[]> {
  const { resource, effect } = operation;
  const deleted = effect === 'restore';
  const found = await findRecords(context, resource, {
    message: `Which ${resource.nouns} to ${actionWord(operation)}?`,
    deleted,
    ifNone: `There is no ${deleted ? 'deleted ' : ''}${resource.noun} to ${actionWord(operation)}.`,
    chosen: [],
    required: true,
    takesHere: true,
  });
  return found.map(({ id }) => id);
}

function findTarget(
  context: Context,
  operation: Operation,
  target: string,
  canGoBack: boolean,
): Promise<Found | undefined> {
  const { api } = context;
  const resource = api.resource(target);
  const message = `Which ${api.nounOf(target)} to ${actionWord(operation)}?`;
  if (!resource?.list) return findReference(context, target, { message, canGoBack });
  const deleted = operation.effect === 'restore';
  const ifNone = `There is no ${deleted ? 'deleted ' : ''}${resource.noun} to ${actionWord(operation)}.`;
  return findRecord(context, resource, { message, deleted, ifNone, canGoBack });
}

/** What can be unlinked is what the record is linked with. */
async function findLinked(
  context: Context,
  { resource, link }: Operation,
  id: string,
  target: string,
  canGoBack: boolean,
): Promise<Found | undefined> {
  const get = operationOf(resource, 'get');
  const field = link?.field ?? '';
  const message = `Which ${context.api.nounOf(target)} to unlink?`;
  if (!get) return findReference(context, target, { message, canGoBack });
  const session = await context.session();
  const { record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } });
  const linked = Array.isArray(record[field]) ? record[field].filter(isRow) : [];
  if (linked.length === 0) return undefined;
  const choices = linked.map((row) => {
    const found = { id: String(row.id), label: titleOf(row) };
    const description = `id ${found.id}`;
    return { value: found, label: found.label, key: found.id, searched: found.id, description };
  });
  return choose(context.streams, { message, choices, canGoBack });
}

function actionWord({ effect, verb }: Operation): string {
  return effect === 'get' ? 'show' : (verb.split('-')[0] ?? verb);
}
