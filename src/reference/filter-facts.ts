/** What a list's filters take and which records they leave. */
import type { Filter, Match } from '../contract/filter.ts';
import { inputWords } from '../contract/text.ts';
import { flagTerm } from './value-words.ts';

export interface FilterFacts {
  name: string;
  /** As it is typed: `--tags-id <id,...>`. */
  flag: string;
  about: string;
  match: Match;
  /** Which records stay, in a sentence. */
  keeps: string;
  words: string[];
}

export function filterFacts({ name, value, match }: Filter): FilterFacts {
  return {
    name,
    flag: flagTerm(name, value),
    about: value.traits.about ?? '',
    match,
    keeps: value.traits.target && match === 'equals' ? relatedWords : matchWords[match],
    words: inputWords(value),
  };
}

const relatedWords = 'those tied to the record with this id; @NAME finds it';

/** How each kind of match chooses. */
export const matchWords: Readonly<Record<Match, string>> = {
  equals: 'those with exactly this value',
  contains: 'those whose text holds this, in capitals or not',
  after: 'those after this, itself not included',
  before: 'those before this, itself not included',
  on_day: 'those of this day (UTC)',
  any: 'those that have any (true) or none (false)',
  deleted:
    'active and deleted records (true), or active ones alone (false); where a service answers deleted ones alone, the setting wire.deleted_filter says so',
  unknown: 'the API’s document doesn’t say how it chooses',
};
