/** Asks on a terminal before an update closes a stock document or removes entries of a list. Loaded only for that. */
import { shortValue } from '../../base/short-value.ts';
import { isRow, type Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { isList } from '../../contract/list-text.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { describeRecord, inferTitle } from '../../output/wording.ts';
import { removedValues } from '../../session/diff/lists.ts';
import type { CurrentRecord } from '../../session/record-body.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { write } from '../../terminal/streams.ts';
import { addRecordNames, answerOf } from '../answer.ts';
import { readEarlierLines, writeDifferences } from '../earlier-lines.ts';
import { labelOfField } from '../question-order.ts';
import { askToContinue } from './confirm-action.ts';

/** Returns the field whose lines take effect when these values are sent, if any. */
function fieldThatTakesEffect({ body: fields }: Operation, sent: Row): BodyField | undefined {
  return fields.find(({ field: { traits } }) => {
    const { difference, filters } = traits.previous ?? {};
    const value = difference && sent[difference.when];
    return difference !== undefined && value !== undefined && filters?.[difference.when] === String(value);
  });
}

/**
 * Shows how the lines differ from earlier ones and asks before they take effect. Throws if the answer is no. `sent` has
 * ids instead of look-ups.
 */
export async function confirmClosing(
  context: Context,
  operation: Operation,
  sent: Row,
  current: CurrentRecord,
): Promise<void> {
  const entry = fieldThatTakesEffect(operation, sent);
  const { difference, same } = entry?.field.traits.previous ?? {};
  if (!entry || !difference || sent[difference.when] === current.body[difference.when]) return;
  const merged = { ...current.body, ...sent };
  const sameId = merged[operation.body.find(({ responseName }) => responseName === same)?.name ?? ''];
  const session = await context.session();
  const sentAnswers = new Map([
    [entry.name, answerOf(entry.field, merged[entry.name], current.record[entry.responseName])],
  ]);
  const answer = (await addRecordNames(session, operation, sentAnswers)).get(entry.name);
  const before =
    typeof sameId === 'string'
      ? await readEarlierLines(context, operation, entry, { sameId, ownId: current.id })
      : undefined;
  if (answer) await writeDifferences(context, entry, answer, before);
  const recordName = describeRecord(operation.resource.noun, current.id, current.record);
  await askToContinue(`Send this update of ${recordName}?`, context);
}

/** The maximum number of removed entries that are listed. The others are counted. */
const maxNamedEntries = 20;

/** Shows the entries that an update removes from lists, and asks. Throws if the answer is no. `sent` has ids, no look-ups. */
export async function confirmRemovals(
  { streams }: Context,
  operation: Operation,
  sent: Row,
  current: CurrentRecord,
): Promise<void> {
  const lines = removalLines(operation, sent, current);
  if (lines.length === 0) return;
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  await askToContinue('Send this update?', { streams });
}

/** Returns terminal lines with the entries that an update removes from lists. The array is empty if it removes none. */
export function removalLines({ resource, body }: Operation, sent: Row, current: CurrentRecord): string[] {
  const lines = body
    .filter(({ name, field }) => isList(field) && Object.hasOwn(sent, name))
    .flatMap((entry) => {
      const { name, responseName } = entry;
      const removed = removedValues(current.body[name], sent[name]);
      return removed.length === 0
        ? []
        : [`  ${labelOfField(entry)}: ${namesOf(removed, current.record[responseName])}`];
    });
  const recordName = cleanLine(describeRecord(resource.noun, current.id, current.record));
  return lines.length === 0 ? [] : [`This removes from ${recordName}:`, ...lines];
}

/** Returns the names of removed entries as the record shows them: `"Red" (5), "Blue" (7) and 3 others`. */
function namesOf(removed: readonly unknown[], shown: unknown): string {
  const rows = Array.isArray(shown) ? shown.filter(isRow) : [];
  const names = removed.slice(0, maxNamedEntries).map((value) => {
    const id = String(isRow(value) ? value.id : value);
    const row = rows.find((candidate) => String(candidate.id) === id);
    const title = shortValue(row ? inferTitle(row) : id);
    return cleanLine(title === id ? id : `"${title}" (${id})`);
  });
  const others = removed.length - names.length;
  return names.join(', ') + (others > 0 ? ` and ${others} others` : '');
}
