/** `--add-tags` and `--remove-tags`: lists of a record changed by difference, for every list that an update takes. */
import { type Command, Option } from 'commander';
import { type Field, many } from '../../contract/field.ts';
import { isList } from '../../contract/list-text.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { flagName, type Read } from '../../contract/text.ts';
import type { FieldMessages } from '../../errors.ts';
import { readTexts } from '../../interaction/input/field-texts.ts';
import { placeholder } from '../../reference/value-words.ts';
import type { ListChange } from '../../session/list-change.ts';
import { givenValues } from './field-flags.ts';

const sides = ['add', 'remove'] as const;
type Side = (typeof sides)[number];

const about = { add: 'to add to those that are there', remove: 'to take out of those that are there' };

/** Whether a list can be changed by difference: an update takes it, and somebody has one already. */
export function isChangeable({ effect }: Operation, { field }: BodyField): boolean {
  return effect === 'update' && isList(field) && !field.traits.secret;
}

export function listChangeOptions(operation: Operation): Option[] {
  return operation.body
    .filter((entry) => isChangeable(operation, entry))
    .flatMap(({ name, field }) =>
      sides.map((side) =>
        new Option(`--${side}-${flagName(name)} <${placeholder(sideOf(field, side))}>`, about[side])
          .argParser((text: string, before: string[] = []) => [...before, text])
          .helpGroup('Fields:'),
      ),
    );
}

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

/** What is removed is named by its id alone. */
function sideOf(field: Field, side: Side): Field {
  return side === 'remove' && field.kind === 'many' ? many(field.traits.target ?? '') : field;
}

function valuesOf(read: Read | undefined): readonly unknown[] {
  return Array.isArray(read?.value) ? read.value : [];
}
