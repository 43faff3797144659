/** The kinds of record that tags are for, each tag for one of them. Document: "Tag". */
import { type Field, many } from '../contract/field.ts';

export const tagTypes = {
  customer: 1,
  branch: 2,
  'inventory item': 3,
  order: 4,
  supplier: 5,
  user: 6,
  product: 7,
} as const;

/** A relation to the tags of one kind. */
export function tagsFor(type: keyof typeof tagTypes): Field {
  return many('tags').only('type', tagTypes[type]);
}
