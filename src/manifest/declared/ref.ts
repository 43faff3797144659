/** A record that a manifest names by what it is called, before it is known which one that is. */

import { isScalar } from '../../base/number-text.ts';
import type { Field } from '../../contract/field.ts';
import type { Place } from '../source/node.ts';

/**
 * `text`: one of the natural keys, or the name or id of what the API can’t list; `orId`: or the id of any, where none of
 * its kind is called so · `fields`: all of these values.
 */
export type By =
  | { kind: 'text'; text: string; orId?: true }
  /** With what it is called, where that is known. */
  | { kind: 'id'; id: string; text?: string }
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> };

export class Ref {
  /** A resource or a reference, by the API’s own name. */
  readonly target: string;
  readonly by: By;
  readonly at: Place;
  /** Only records that have this value are meant: a tag of a customer is none of a product. */
  readonly only: Field['traits']['only'];
  #mark: string | undefined;

  constructor(target: string, by: By, at: Place, only?: Field['traits']['only']) {
    this.target = target;
    this.by = by;
    this.at = at;
    this.only = only;
  }

  /** As people read it. */
  get text(): string {
    const { by } = this;
    if (by.kind === 'text') return by.text;
    return by.kind === 'id' ? (by.text ?? by.id) : Object.values(by.fields).join(', ');
  }

  /** The same for two that name the same in the same words. */
  get mark(): string {
    this.#mark ??= JSON.stringify([this.target, this.by, this.only?.value ?? null]);
    return this.#mark;
  }
}

/** A value with something else in the place of each record that it names. */
export function replaceRefs(value: unknown, replace: (ref: Ref) => unknown): unknown {
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if (value instanceof Ref) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceRefs(item, replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replaceRefs(inner, replace)]),
  );
}

/** Stands for an id that is not known yet. */
export const placeholder = '0000';

export function stoodFor(value: unknown): unknown {
  return replaceRefs(value, () => placeholder);
}

export function refsIn(value: unknown, found: Ref[] = []): Ref[] {
  if (value instanceof Ref) found.push(value);
  else if (Array.isArray(value)) for (const item of value) refsIn(item, found);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) refsIn(inner, found);
  return found;
}
