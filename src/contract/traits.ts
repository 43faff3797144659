/** The traits of a field: its kind of value, its rules and its descriptions. */
import type { Limit } from './bounds.ts';
import type { PreviousRecord } from './previous-record.ts';
import type { Scope } from './scope.ts';

/**
 * The kinds of values and their form in JSON:
 * `text` string · `integer`, `decimal` number · `boolean` · `date` "YYYY-MM-DD" · `timestamp` "YYYY-MM-DD HH:MM:SS" UTC
 * `choice` an integer with a word for each value · `numeric_text` a string that contains a number
 * `unit` a unit's name or number · `hour` a whole hour of the day
 * `words`, `integers`, `ids` arrays · `ring` an array of [longitude, latitude] pairs
 * `one` a related record, `many` an array of them · `object` nested fields, `objects` an array of them
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

/** The words of an enumeration with their numbers, for example `{ draft: 1, closed: 2 }`. */
export type Words = Readonly<Record<string, number>>;

/** Everything that a field can declare. A missing trait means "no" or "the document doesn't say". `Fields` are nested ones. */
export interface TraitsOf<Fields> {
  kind: Kind;
  /** The description for help, explain and the reference; for unclear passages of the document it says what boh assumes. */
  about?: string;
  /** The unit of a number, in the plural: "storage units", "hours", "percent". */
  unit?: string;
  /** Required at creation, or with the link if it is in a pivot: the document's asterisk. */
  required?: true;
  /**
   * The requests that accept the field: creation, update, or both. A field without this trait is read-only. In a pivot
   * or a nested object, any value means that requests accept it.
   */
  written?: 'always' | 'at_creation' | 'in_updates';
  /** The value may be null. */
  nullable?: true;
  /** A relation that `include` can expand. */
  includable?: true;
  /** Requests list it, but the field table calls it read-only: it may be sent, and the service ignores it. */
  ignored?: true;
  /** `sort` may order by it. */
  sortable?: true;
  /** A filter on the field matches part of its text. */
  searched?: true;
  /** Each value occurs at most once in an account. */
  unique?: true;
  /** In a pivot: the id of one of the two linked records, which the request contains anyway. */
  repeatsId?: true;
  /** The field contains the name in the business's second language; the value is the field with the first. */
  localizes?: string;
  /** Accepted in requests, never returned. */
  writeOnly?: true;
  /** Never a flag and never shown: read from `--data` or a hidden prompt. */
  secret?: true;
  /** The text consists of digits; digits of other scripts mean the same. */
  digits?: true;
  /** The form of the text, if it decides which texts mean the same; `person` is the name of a person. */
  form?: 'email' | 'phone' | 'person';
  /** The default is the signed-in user (docs/reference/deployments.md: "Values"). */
  defaultsToSignedInUser?: true;
  /** Returned only to tokens with this scope. */
  readScope?: Scope;
  /** Accepted only from tokens with this scope. */
  writeScope?: Scope;
  /** `choice`, `integers`: the word for each number. */
  words?: Words;
  /** `choice`: the values that a new record may have, if not all. */
  creatable?: readonly number[];
  /** `choice`: the values that a token with only this scope may write. */
  limited?: { scope: Scope; values: readonly number[] };
  /** `integers`: other numbers are also accepted. */
  open?: true;
  /** `words`: the allowed words. */
  allowed?: readonly string[];
  /** `words`: the meaning of each word, if the word alone doesn't say it. */
  meanings?: Readonly<Record<string, string>>;
  /** `integer`, `decimal`, `numeric_text`: inclusive bounds, from the document or from the meaning of the field. */
  minimum?: number;
  maximum?: number;
  /** `integer`, `decimal`: bounds that depend on another field. They can be checked only if a request has both fields. */
  limits?: readonly Limit[];
  /** `one`, `many`: the API name of the related resource or reference. */
  target?: string;
  /** `many`: only records whose field has this value can be linked, for example tags of one type. */
  only?: { field: string; value: number };
  /** `many`: the fields of the link itself; responses show them under `pivot`. */
  pivot?: Fields;
  /** `many`: the number in the pivot that the command line accepts after each id: `--items ITEM=2.5`. */
  amount?: string;
  /** `many`: the field of the related records that stores the link; this field shows the same link. */
  inverseOf?: string;
  /** `many`, `objects`: the singular in snake case, if it doesn't follow from a resource name: `subgroup`. */
  each?: string;
  /** `object`, `objects`: the nested fields. */
  fields?: Fields;
  /** An example value for help, samples and tests; the sandbox accepts it. */
  example?: unknown;
  /** The name for people, if it doesn't follow from the field name: "SKU". */
  label?: string;
  /** `boolean`: true for the one built-in record of every account, which can't be created; the value is the word for it. */
  builtIn?: string;
  /** Forms ask for it when a record is created although it is optional, because it is the purpose of the record. */
  asked?: true;
  /** A record is of little use without a value: removing the last one gives a warning first. */
  vital?: true;
  /** The most common value of new records. Forms ask for it last and use it as the default. */
  usual?: unknown;
  /** `boolean`: forms ask for all fields with this label in one question, for example "Days". */
  together?: string;
  /** `many`: fields of the related record that forms show while people enter its number. */
  shownWith?: readonly string[];
  /** The field that contains the unit: a field of the related record for `many`, else of the record that has the field. */
  unitFrom?: string;
  /** `many`: the previous record that people compare the numbers with. */
  previous?: PreviousRecord;
  /** `phone`: the field with the country calling code; without this trait, the number contains it. */
  dialCode?: string;
}
