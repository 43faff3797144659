/** Describes the changes in an account since a plan was saved, by comparing its changes with the changes of a new plan. */
import type { FieldMessages } from '../../base/errors.ts';
import { shortenValue } from '../../base/short-value.ts';
import { truncateItems } from '../../base/shown-items.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import type { ChangeRecord } from '../plan/change.ts';

/**
 * Returns one message for each value that differs, by `RESOURCE KEY`. Both plans are for the same files, so a difference
 * between them is a change in the account.
 */
export function describeAccountChanges(
  savedChanges: readonly ChangeRecord[],
  currentChanges: readonly ChangeRecord[],
): FieldMessages {
  const [savedByKey, currentByKey] = [savedChanges, currentChanges].map(
    (changes) => new Map(changes.map((change) => [`${change.resource} ${change.key}`, change])),
  ) as [Map<string, ChangeRecord>, Map<string, ChangeRecord>];
  const fields: FieldMessages = Object.create(null);
  for (const name of new Set([...savedByKey.keys(), ...currentByKey.keys()])) {
    const messages = describeDifferences(savedByKey.get(name), currentByKey.get(name));
    if (messages.length > 0) fields[name] = truncateItems(messages);
  }
  return fields;
}

function describeDifferences(before: ChangeRecord | undefined, after: ChangeRecord | undefined): string[] {
  if (before?.action !== after?.action) {
    if (before?.action === 'create') return ['was created after the plan was saved'];
    if (before?.action === 'delete')
      return ['was deleted after the plan was saved, or is declared in the files'];
    if (after?.action === 'create') return ['was deleted after the plan was saved, and would be created'];
    if (after?.action === 'delete') return ['was created after the plan was saved, and would be deleted'];
  }
  const [savedByName, currentByName] = [changesByName(before), changesByName(after)];
  return [...new Set([...savedByName.keys(), ...currentByName.keys()])].flatMap((name) => {
    const [savedChange, currentChange] = [savedByName.get(name), currentByName.get(name)];
    // A value that one of the plans doesn't change is equal to the declared value.
    const [from, to] = [
      savedChange ? savedChange.old : currentChange?.new,
      currentChange ? currentChange.old : savedChange?.new,
    ];
    return JSON.stringify(from) === JSON.stringify(to)
      ? []
      : [`${name}: was ${formatValue(from)}, and is now ${formatValue(to)}`];
  });
}

/** Returns the changes of a record and of its links, by the names of fields. */
function changesByName({ fields, links = [] }: Partial<ChangeRecord> = {}): Map<string, FieldChange> {
  const linkChanges = links.flatMap(({ link, key, action, fields: linkFields }): [string, FieldChange][] => {
    if (action === 'update')
      return Object.entries(linkFields).map(([name, change]) => [`${link} ${key} ${name}`, change]);
    const [unlinkedValue, linkedValue] = [null, 'linked'];
    return [
      [
        `${link} ${key}`,
        action === 'delete'
          ? { old: linkedValue, new: unlinkedValue }
          : { old: unlinkedValue, new: linkedValue },
      ],
    ];
  });
  return new Map([...Object.entries(fields ?? {}), ...linkChanges]);
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return shortenValue(typeof value === 'string' ? value : JSON.stringify(value), 60);
}
