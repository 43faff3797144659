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
export function changedSince(
  saved: readonly ChangeRecord[],
  present: readonly ChangeRecord[],
): FieldMessages {
  const [before, now] = [saved, present].map(
    (changes) => new Map(changes.map((change) => [`${change.resource} ${change.key}`, change])),
  ) as [Map<string, ChangeRecord>, Map<string, ChangeRecord>];
  const fields: FieldMessages = Object.create(null);
  for (const name of new Set([...before.keys(), ...now.keys()])) {
    const messages = differences(before.get(name), now.get(name));
    if (messages.length > 0) fields[name] = truncateItems(messages);
  }
  return fields;
}

function differences(before: ChangeRecord | undefined, now: ChangeRecord | undefined): string[] {
  if (before?.action !== now?.action) {
    if (before?.action === 'create') return ['was created since'];
    if (before?.action === 'delete') return ['was deleted since, or is declared in the files'];
    if (now?.action === 'create') return ['was deleted since, and would be created'];
    if (now?.action === 'delete') return ['was created since, and would be deleted'];
  }
  const [old, next] = [valuesOf(before), valuesOf(now)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((name) => {
    const [savedChange, currentChange] = [old.get(name), next.get(name)];
    // A value that one of the plans doesn't change is equal to the declared value.
    const [from, to] = [
      savedChange ? savedChange.old : currentChange?.new,
      currentChange ? currentChange.old : savedChange?.new,
    ];
    return JSON.stringify(from) === JSON.stringify(to)
      ? []
      : [`${name}: was ${shown(from)}, and is now ${shown(to)}`];
  });
}

/** Returns the changes of a record and of its links, by the names of fields. */
function valuesOf({ fields, links = [] }: Partial<ChangeRecord> = {}): Map<string, FieldChange> {
  const linked = links.flatMap(({ link, key, action, fields: held }): [string, FieldChange][] => {
    if (action === 'update')
      return Object.entries(held).map(([name, change]) => [`${link} ${key} ${name}`, change]);
    const [unlinked, present] = [null, 'linked'];
    return [
      [
        `${link} ${key}`,
        action === 'delete' ? { old: present, new: unlinked } : { old: unlinked, new: present },
      ],
    ];
  });
  return new Map([...Object.entries(fields ?? {}), ...linked]);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return shortenValue(typeof value === 'string' ? value : JSON.stringify(value), 60);
}
