/** The kinds of value that the API has. */

/**
 * The kinds of value, by what stands in the JSON:
 * `text` string · `integer`, `decimal` number · `boolean` · `date` "YYYY-MM-DD" · `timestamp` "YYYY-MM-DD HH:MM:SS" UTC
 * `choice` an integer with a word for each value · `numeric_text` a string that holds a number
 * `unit` a unit's name or number · `hour` a whole hour of the day
 * `words`, `integers`, `ids` arrays · `ring` an array of [longitude, latitude] pairs
 * `one` a related record, `many` an array of them · `object` nested fields, `objects` an array of such
 */
export type Kind =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'choice'
  | 'numeric_text'
  | 'unit'
  | 'hour'
  | 'words'
  | 'integers'
  | 'ids'
  | 'ring'
  | 'one'
  | 'many'
  | 'object'
  | 'objects';

/** The word of each value of an enumeration, e.g. `{ draft: 1, closed: 2 }`. */
export type Words = Readonly<Record<string, number>>;
