/** `--add-tags` and `--remove-tags`: lists of a record changed by difference, for every list that an update takes. */
import { Option } from 'commander';
import { type Field, many } from '../../contract/field.ts';
import { isList } from '../../contract/list-text.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { flagName } from '../../contract/text.ts';
import { placeholder } from '../../reference/value-words.ts';

export const sides = ['add', 'remove'] as const;
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

/** What is removed is named by its id alone. */
export function sideOf(field: Field, side: Side): Field {
  return side === 'remove' && field.kind === 'many' ? many(field.traits.target ?? '') : field;
}
