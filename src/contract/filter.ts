/** Filters of lists: the kind of value, and how it is matched with records. */
import type { Field } from './field.ts';
import type { PreviousRecord } from './previous-record.ts';

/**
 * How a filter matches a record:
 * `equals` · `contains` part of the text, ignoring case · `after`, `before` a time or day, exclusive
 * `on_day` the UTC day of a time · `any` whether the field has a value
 * `deleted` whether the record is deleted · `unknown` the document doesn't say
 */
export type Match = 'equals' | 'contains' | 'after' | 'before' | 'on_day' | 'any' | 'deleted' | 'unknown';

/** A filter of a list. */
export interface Filter {
  /** The document's name, including dots: `tags.id`. */
  name: string;
  /** The kind of value that the filter accepts. */
  value: Field;
  /** The field that is matched; a filter with a dot matches the ids of a relation. */
  on?: string;
  match: Match;
}

/** A filter whose name doesn't follow from a field of the resource. */
export type FilterRule = Omit<Filter, 'name'>;

/** Creates a rule for a filter that matches the field `on`. */
export function filterOn(on: string, match: Match, value: Field): FilterRule {
  return { on, match, value };
}

/** Creates a rule for a filter whose meaning the document doesn't give. */
export function filterUnknown(value: Field): FilterRule {
  return { match: 'unknown', value };
}

/** Returns the filter for records that changed after a time; undefined if there is none. */
export function changedAfterFilter(filters: readonly Filter[]): Filter | undefined {
  return filters.find(({ on, match }) => on === 'updated_at' && match === 'after');
}

/** Returns the filter that includes deleted records; undefined if there is none. */
export function deletedFilter(filters: readonly Filter[]): Filter | undefined {
  return filters.find(({ match }) => match === 'deleted');
}

/** Returns the filter that finds records with the same related record as the one to compare. */
export function filterOnSame(filters: readonly Filter[], { same }: PreviousRecord): Filter | undefined {
  return filters.find(({ on, match }) => on === same && match === 'equals');
}
