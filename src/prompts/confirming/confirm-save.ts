/** Asks on a terminal before an update closes a stock document or removes list entries. It is loaded on demand. */
import { shortenValue } from '../../base/short-value.ts';
import { isRow, type Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { isList } from '../../contract/comma-list.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { describeRecord, inferTitle } from '../../output/wording.ts';
import { removedValues } from '../../session/diff/lists.ts';
import type { CurrentRecord } from '../../session/record-body.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { write } from '../../terminal/streams.ts';
import { addRecordNames, answerOf } from '../answer.ts';
import { readEarlierLines, writeDifferences } from '../earlier-lines.ts';
import { labelOfField } from '../steps.ts';
import { askToContinue } from './confirm-action.ts';

/** Returns the field whose lines take effect when these values are sent, if any. */
function closingField({ body: fields }: Operation, sentBody: Row): BodyField | undefined {
  return fields.find(({ field: { traits } }) => {
    const { difference, filters } = traits.previous ?? {};
    const value = difference && sentBody[difference.effectField];
    return (
      difference !== undefined && value !== undefined && filters?.[difference.effectField] === String(value)
    );
  });
}

/**
 * Shows the differences between the lines and those of the earlier record, and asks before they take effect. Throws if the
 * answer is no. `sentBody` has IDs instead of lookups.
 */
export async function confirmClosing(
  context: Context,
  operation: Operation,
  sentBody: Row,
  current: CurrentRecord,
): Promise<void> {
  const entry = closingField(operation, sentBody);
  const { difference, matchingRelation } = entry?.field.traits.previous ?? {};
  if (!entry || !difference || sentBody[difference.effectField] === current.body[difference.effectField])
    return;
  const merged = { ...current.body, ...sentBody };
  const sharedId =
    merged[operation.body.find(({ responseName }) => responseName === matchingRelation)?.name ?? ''];
  const session = await context.session();
  const sentAnswers = new Map([
    [entry.name, answerOf(entry.field, merged[entry.name], current.record[entry.responseName])],
  ]);
  const answer = (await addRecordNames(session, operation, sentAnswers)).get(entry.name);
  const before =
    typeof sharedId === 'string'
      ? await readEarlierLines(context, operation, entry, { sharedId, recordId: current.id })
      : undefined;
  if (answer) await writeDifferences(context, entry, answer, before);
  const recordName = describeRecord(operation.resource.noun, current.id, current.record);
  await askToContinue(`Send this update of ${recordName}?`, context);
}

/** The maximum number of removed entries that are listed. The others are counted. */
const maxNamedEntries = 20;

/** Shows the entries that an update removes from lists, and asks. Throws if the answer is no. `sentBody` has IDs, no lookups. */
export async function confirmRemovals(
  { streams }: Context,
  operation: Operation,
  sentBody: Row,
  current: CurrentRecord,
): Promise<void> {
  const lines = describeRemovals(operation, sentBody, current);
  if (lines.length === 0) return;
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  await askToContinue('Send this update?', { streams });
}

/** Returns terminal lines that list the entries that an update removes from lists, or [] if it removes none. */
export function describeRemovals(
  { resource, body }: Operation,
  sentBody: Row,
  current: CurrentRecord,
): string[] {
  const lines = body
    .filter(({ name, field }) => isList(field) && Object.hasOwn(sentBody, name))
    .flatMap((entry) => {
      const { name, responseName } = entry;
      const removedEntries = removedValues(current.body[name], sentBody[name]);
      return removedEntries.length === 0
        ? []
        : [`  ${labelOfField(entry)}: ${formatEntryNames(removedEntries, current.record[responseName])}`];
    });
  const recordName = cleanLine(describeRecord(resource.noun, current.id, current.record));
  return lines.length === 0 ? [] : [`This removes from ${recordName}:`, ...lines];
}

/** Formats removed entries with their titles from the record: `"Red" (5), "Blue" (7) and 3 others`. */
function formatEntryNames(removedEntries: readonly unknown[], currentValue: unknown): string {
  const rows = Array.isArray(currentValue) ? currentValue.filter(isRow) : [];
  const names = removedEntries.slice(0, maxNamedEntries).map((value) => {
    const id = String(isRow(value) ? value.id : value);
    const row = rows.find((candidate) => String(candidate.id) === id);
    const title = shortenValue(row ? inferTitle(row) : id);
    return cleanLine(title === id ? id : `"${title}" (${id})`);
  });
  const otherCount = removedEntries.length - names.length;
  return names.join(', ') + (otherCount > 0 ? ` and ${otherCount} others` : '');
}
