/** What `--clear` is for. Loaded with the flags of every verb: keep it small. */
import type { Field } from '../../contract/field.ts';
import { isList } from '../../contract/list-text.ts';

/** Whether `--clear` empties it: with null, or an empty list. */
export function canBeCleared(field: Field): boolean {
  return isList(field) || field.kind === 'objects' || field.traits.nullable === true;
}
