/** The questions of a form and their order: fields that identify a record first, fields with a usual value last. */

import type { BodyField, Operation } from '../contract/operation.ts';
import { capitalize } from '../contract/wording.ts';
import { headerOf } from '../output/records-for-people.ts';

/** One question: a field, or several that are answered together, such as the days of the week. */
export interface Step {
  /** The name of the first field. */
  name: string;
  label: string;
  fields: readonly BodyField[];
}

/** Returns the label of a field: "SKU", or "Branch" for `branch_id`. */
export function labelOfField({ responseName, field }: BodyField): string {
  return field.traits.label ?? capitalize(headerOf(responseName));
}

/** Returns all questions of an operation in the order in which they are asked. */
export function stepsOf(operation: Operation): Step[] {
  const groups = new Map<string, BodyField[]>();
  for (const entry of operation.body) {
    const key = entry.field.traits.formGroup ?? entry.name;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const steps = [...groups.values()].flatMap((fields) => {
    const [first] = fields;
    if (!first) return [];
    const label = first.field.traits.formGroup ?? labelOfField(first);
    return [{ name: first.name, label, fields }];
  });
  return steps.toSorted((a, b) => rankOf(operation, a) - rankOf(operation, b));
}

/** Returns whether a question is always asked, not only if the user chooses it in the review. */
export function isAlwaysAsked(operation: Operation, { fields }: Step): boolean {
  const { effect } = operation;
  return fields.some((entry) => {
    const { mustBeSent, field } = entry;
    if (mustBeSent || effect === 'link' || effect === 'act') return true;
    if (effect !== 'create') return false;
    return (
      field.traits.askedInForms || field.traits.formDefault !== undefined || isIdentifying(operation, entry)
    );
  });
}

function rankOf(operation: Operation, { fields: [entry] }: Step): number {
  if (!entry) return 0;
  if (isIdentifying(operation, entry)) return 0;
  const { formDefault, unitFrom, localizes, askedInForms, required, defaultsToSignedInUser } =
    entry.field.traits;
  if (localizes !== undefined) return 1;
  if (formDefault !== undefined) return 6;
  if (!askedInForms && !(required && !defaultsToSignedInUser)) return 5;
  if (entry.field.kind === 'many' || entry.field.kind === 'objects') return 4;
  // The unit is asked before the number, so that "5 kg" can be checked.
  return unitFrom === undefined ? 2 : 3;
}

/** Returns whether a field identifies the record. A link's fields don't: an item's code isn't the supplier's code. */
function isIdentifying({ resource: { title, key }, link }: Operation, { name }: BodyField): boolean {
  return link === undefined && (name === title || key.includes(name));
}
