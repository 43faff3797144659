/** What `--add-tags` and `--remove-tags` say, read as the field’s own flag is. */
import type { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import { flagName, type Read } from '../../contract/text.ts';
import type { FieldMessages } from '../../errors.ts';
import { readTexts } from '../../interaction/input/field-texts.ts';
import type { ListChange } from '../../session/list-change.ts';
import { givenValues } from './field-flags.ts';
import { isChangeable, sideOf, sides } from './list-changes.ts';

export interface ReadChanges {
  changes: ListChange[];
  problems: FieldMessages;
}

/** `replaced` are the names of fields that are given as a whole: no list can be both. */
export function readListChanges(
  command: Command,
  operation: Operation,
  replaced: readonly string[],
): ReadChanges {
  const changes: ListChange[] = [];
  const problems: FieldMessages = Object.create(null);
  for (const entry of operation.body.filter((it) => isChangeable(operation, it))) {
    const { name, field } = entry;
    const [add, remove] = sides.map((side) => {
      const [given] = givenValues(command, [`${side}_${name}`]);
      return given && readTexts(name, sideOf(field, side), given.texts, `${side}-${flagName(name)}`);
    });
    if (!add && !remove) continue;
    const flag = flagName(name);
    const both = `--${flag} and --clear give the whole list: leave them out, or --add-${flag} and --remove-${flag}`;
    const wrong = [add, remove].flatMap((read) => read?.problem ?? []);
    if (replaced.includes(name)) wrong.push(both);
    if (wrong.length > 0) problems[name] = wrong;
    else changes.push({ entry, add: valuesOf(add), remove: valuesOf(remove) });
  }
  return { changes, problems };
}

function valuesOf(read: Read | undefined): readonly unknown[] {
  return Array.isArray(read?.value) ? read.value : [];
}
