/** A reference to a record by name, key or ID, before the record is found. */

import type { Field } from '../../../api/contract/field.ts';
import { isScalar } from '../../../base/number-text.ts';
import type { FileLocation } from '../source/node.ts';

/**
 * How a reference identifies its record. `text`: a natural key, or the name or ID of a record that the API can't
 * list; with `orId` also an ID, if no record has that name. `fields`: a record with all these values.
 */
export type RecordIdentifier =
  | { kind: 'text'; text: string; orId?: true }
  | { kind: 'id'; id: string }
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> };

/** A reference to a record. */
export class Ref {
  /** The API's name of the resource, or of the kind of records that can't be listed. */
  readonly target: string;
  readonly by: RecordIdentifier;
  readonly location: FileLocation;
  /** Restricts the records by the value of a field: a tag of customers is not a tag of products. */
  readonly targetFilter: Field['traits']['targetFilter'];
  #key: string | undefined;

  constructor(
    target: string,
    by: RecordIdentifier,
    location: FileLocation,
    targetFilter?: Field['traits']['targetFilter'],
  ) {
    this.target = target;
    this.by = by;
    this.location = location;
    this.targetFilter = targetFilter;
  }

  /** The reference as text for messages. */
  get text(): string {
    const { by } = this;
    if (by.kind === 'text') return by.text;
    return by.kind === 'id' ? by.id : Object.values(by.fields).join(', ');
  }

  /** A string that is equal for references that identify the same record in the same way. */
  get key(): string {
    this.#key ??= JSON.stringify([this.target, this.by, this.targetFilter?.value ?? null]);
    return this.#key;
  }
}

/** Returns the value with each reference replaced by the result of `replace`. */
export function replaceRefs(value: unknown, replace: (ref: Ref) => unknown): unknown {
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if (value instanceof Ref) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceRefs(item, replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replaceRefs(inner, replace)]),
  );
}

/** The placeholder for an ID that doesn't exist yet. */
export const placeholder = '0000';

export function withPlaceholders(value: unknown): unknown {
  return replaceRefs(value, () => placeholder);
}

export function refsIn(value: unknown, refs: Ref[] = []): Ref[] {
  if (value instanceof Ref) refs.push(value);
  else if (Array.isArray(value)) for (const item of value) refsIn(item, refs);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) refsIn(inner, refs);
  return refs;
}
