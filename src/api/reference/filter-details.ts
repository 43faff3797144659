/** Collects the details of filters: their values, and the records that match. */
import type { Filter, Match } from '../contract/filter.ts';
import { inputWords } from '../contract/value-text.ts';
import { filterPlaceholder, flagTerm } from './value-descriptions.ts';

/** The details of a filter. The keys are those of `boh explain -o json`. */
export interface FilterDetails {
  name: string;
  /** The flag: `--tags-id <id,...>`. */
  flag: string;
  about: string;
  match: Match;
  /** The records that match. */
  keeps: string;
  words: string[];
}

export function filterDetails({ name, value, match }: Filter): FilterDetails {
  return {
    name,
    flag: flagTerm(name, value, filterPlaceholder(value)),
    about: value.traits.description ?? '',
    match,
    keeps: value.traits.target && match === 'equals' ? relatedDescription : matchDescriptions[match],
    words: inputWords(value),
  };
}

/** The records that a filter by a related record matches. */
export const relatedDescription = 'records linked to the record with this ID; @NAME also works';

/** The records that each kind of filter matches. */
export const matchDescriptions: Readonly<Record<Match, string>> = {
  equals: 'records with exactly this value',
  contains: 'records whose text contains this, ignoring case',
  after: 'records after this, exclusive',
  before: 'records before this, exclusive',
  on_day: 'records of this day (UTC)',
  any: 'records that have any (true) or none (false)',
  deleted:
    'active and deleted records (true), or only active ones (false); if a service returns only deleted ones, set wire.deleted_filter',
  unknown: 'not documented',
};
