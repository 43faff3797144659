/** The kinds of records that tags are for. API document: "Tag". */
import { type Field, many } from '../contract/field.ts';

/** The kinds of records with their numbers. Each tag is for one of them. */
export const tagTypes = {
  customer: 1,
  branch: 2,
  'inventory item': 3,
  order: 4,
  supplier: 5,
  user: 6,
  product: 7,
} as const;

/** Returns a relation to the tags for one kind of record. */
export function tagsFor(type: keyof typeof tagTypes): Field {
  return many('tags').targetFilter('type', tagTypes[type]);
}
