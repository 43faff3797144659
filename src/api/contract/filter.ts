/** Declares filters of lists: the kind of value, and how a filter matches records. */
import type { Field } from './field.ts';
import type { PreviousRecord } from './traits.ts';

/**
 * How a filter matches a record:
 * `equals` · `contains` the value is part of the text, ignoring case · `after`, `before` a time or day, exclusive
 * `on_day` the UTC day of a time · `any` whether the field has a value
 * `deleted` whether the record is deleted · `unknown` the API document doesn't describe it
 */
export type Match = 'equals' | 'contains' | 'after' | 'before' | 'on_day' | 'any' | 'deleted' | 'unknown';

export interface Filter {
  /** The name in the API document, including dots: `tags.id`. */
  name: string;
  /** The kind of value that the filter accepts. */
  value: Field;
  /** The field to match. A filter with a dot in its name matches the IDs of a relation. */
  on?: string;
  match: Match;
}

/** The declaration of a filter that isn't named after a field of the resource. */
export type FilterRule = Omit<Filter, 'name'>;

/** Creates a rule for a filter that matches the field `on`. */
export function fieldFilter(on: string, match: Match, value: Field): FilterRule {
  return { on, match, value };
}

/** Creates a rule for a filter that the API document doesn't explain. */
export function undocumentedFilter(value: Field): FilterRule {
  return { match: 'unknown', value };
}

/** Returns the filter for records that changed after a time; undefined if the list has no such filter. */
export function changedAfterFilter(filters: readonly Filter[]): Filter | undefined {
  return filters.find(({ on, match }) => on === 'updated_at' && match === 'after');
}

/** Returns the filter that includes deleted records; undefined if the list has no such filter. */
export function deletedFilter(filters: readonly Filter[]): Filter | undefined {
  return filters.find(({ match }) => match === 'deleted');
}

/** Returns the filter that finds previous records, for example of the same branch; see `PreviousRecord.matchingRelation`. */
export function previousRecordFilter(
  filters: readonly Filter[],
  { matchingRelation }: PreviousRecord,
): Filter | undefined {
  return filters.find(({ on, match }) => on === matchingRelation && match === 'equals');
}
