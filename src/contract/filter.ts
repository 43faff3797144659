/** What a list can be asked for: a value of some kind, and how it is held against the records. */
import type { Field } from './field.ts';

/**
 * How a record matches a filter's value:
 * `equals` · `contains` part of the text, whatever its case · `after`, `before` a moment or day, exclusive
 * `on_day` the UTC day of a moment · `any` whether there is anything there at all
 * `deleted` whether the record is deleted · `unknown` the document doesn't say
 */
export type Match = 'equals' | 'contains' | 'after' | 'before' | 'on_day' | 'any' | 'deleted' | 'unknown';

export interface Filter {
  /** The document's own name, dots included: `tags.id`. */
  name: string;
  /** The kind of value it takes. */
  value: Field;
  /** The field it looks at; a dotted filter looks at the ids of a relation. */
  on?: string;
  match: Match;
}

/** A filter that isn't simply one of the resource's fields. */
export type FilterRule = Omit<Filter, 'name'>;

export function filterOn(on: string, match: Match, value: Field): FilterRule {
  return { on, match, value };
}

/** A filter whose meaning the document leaves open. */
export function filterUnknown(value: Field): FilterRule {
  return { match: 'unknown', value };
}

/** The filter for what has changed since a moment, and the one that shows deleted records; none where the list has none. */
export function changedAfter(filters: readonly Filter[]): Filter | undefined {
  return filters.find(({ on, match }) => on === 'updated_at' && match === 'after');
}

export function deletedToo(filters: readonly Filter[]): Filter | undefined {
  return filters.find(({ match }) => match === 'deleted');
}
