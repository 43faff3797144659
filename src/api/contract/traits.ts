/** Defines the traits of a field: its kind of value, its rules and its descriptions. */
import type { Limit } from './bounds.ts';
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

/** The properties that a field can declare. A missing trait means "no" or "not documented". `Fields` are nested fields. */
export interface TraitsOf<Fields> {
  kind: Kind;
  /** The description for help, explain and the reference. If the API document is unclear, it says what boh assumes. */
  description?: string;
  /** The unit of a number, in the plural: "storage units", "hours", "percent". */
  unit?: string;
  /** Required at creation, or with the link if it is in a pivot: marked with an asterisk in the API document. */
  required?: true;
  /**
   * The requests that accept the field: creation, update, or both. A field without this trait is read-only. In a pivot
   * or a nested object, any value means that requests accept it.
   */
  writable?: 'always' | 'at_creation' | 'in_updates';
  /** Whether the value may be null. */
  nullable?: true;
  /** Whether `include` can expand the relation. */
  includable?: true;
  /** Whether the service ignores the field: the API document has it in requests, but its field table calls it read-only. */
  ignored?: true;
  /** Whether lists can be sorted by the field. */
  sortable?: true;
  /** Whether a filter on the field matches part of its text. */
  matchesParts?: true;
  /** Whether each value occurs at most once in an account. */
  unique?: true;
  /** In a pivot: whether the field is the ID of one of the two linked records, which the request already contains. */
  repeatsId?: true;
  /** The field with the same text in the first language, if this one is in the business's second language. */
  localizes?: string;
  /** Whether responses never contain the field, although requests accept it. */
  writeOnly?: true;
  /** Whether the value is secret: the field has no flag (only `--data` or a hidden prompt), and output redacts it. */
  secret?: true;
  /** Whether the text consists of digits; digits of other scripts are equal to 0-9. */
  digits?: true;
  /** The format of the text, if it affects comparisons. `person` is the name of a person; `code` is an SKU or a reference. */
  form?: 'email' | 'phone' | 'person' | 'code';
  /** Whether the default is the signed-in user (docs/reference/deployments.md: "Values"). */
  defaultsToSignedInUser?: true;
  /** The scope that a token needs to read the field. */
  readScope?: Scope;
  /** The scope that a token needs to write the field. */
  writeScope?: Scope;
  /** `choice`, `integers`: the word for each number. */
  words?: Words;
  /** `choice`: the values that a new record may have, if not all. */
  creatable?: readonly number[];
  /** `choice`: the values that a token with only this scope may write. */
  limitedByScope?: { scope: Scope; values: readonly number[] };
  /** `integers`: whether other numbers are also accepted. */
  allowsOtherNumbers?: true;
  /** `words`: the allowed words. */
  allowed?: readonly string[];
  /** `words`: the meaning of each word, if the word isn't clear. */
  meanings?: Readonly<Record<string, string>>;
  /** `integer`, `decimal`, `numeric_text`: inclusive bounds, from the API document or from the meaning of the field. */
  minimum?: number;
  maximum?: number;
  /** `integer`, `decimal`: bounds that depend on another field. They can be checked only if a request has both fields. */
  limits?: readonly Limit[];
  /** `one`, `many`: the API name of the related resource or reference. */
  target?: string;
  /** `many`: only records whose field has this value can be linked, for example tags of one type. */
  targetFilter?: { field: string; value: number };
  /** `many`: the fields of the link itself; responses contain them under `pivot`. */
  pivot?: Fields;
  /** `many`: the number in the pivot that the command line accepts after each ID: `--items ITEM=2.5`. */
  amountField?: string;
  /** `many`: the field of the related records that stores the link. */
  inverseOf?: string;
  /** `many`, `objects`: the singular in snake case, if it doesn't follow from a resource name: `subgroup`. */
  itemName?: string;
  /** `object`, `objects`: the nested fields. */
  fields?: Fields;
  /** An example value for help, samples and tests; the sandbox accepts it. */
  example?: unknown;
  /** The name in forms and messages, if it isn't the field name in words: "SKU". */
  label?: string;
  /** `boolean`: true for the built-in record that every account has and that can't be created. The trait is the noun for it: "owner". */
  builtIn?: string;
  /** Whether forms ask for the field when a record is created although it is optional, because it is important. */
  askedInForms?: true;
  /** Whether forms show a warning before the last value is removed. */
  warnsIfEmpty?: true;
  /** The most common value of new records. Forms use it as the default, and ask for the field last. */
  formDefault?: unknown;
  /** `boolean`: forms ask for all fields with this label in one question, for example "Days". */
  formGroup?: string;
  /** `many`: fields of the related record that forms show while people enter its number. */
  formContext?: readonly string[];
  /** The field that contains the unit: for `many` a field of the related record, otherwise of the same record. */
  unitFrom?: string;
  /** `many`: the field of the related record that the number replaces when the record takes effect. */
  replaces?: string;
  /** `many`: the previous record to compare the numbers with. */
  previous?: PreviousRecord;
  /** `phone`: the field with the country calling code; without this trait, the number contains it. */
  dialCode?: string;
}

/** Describes how forms find the previous record, for example the last stock count, whose lines users compare with the new one. */
export interface PreviousRecord {
  /** The name of the previous record in forms: "last count". */
  label: string;
  /** The relation that must be equal in both records, for example the branch. */
  matchingRelation: string;
  /** Other filters of the list that the previous record must match. */
  filters?: Readonly<Record<string, string>>;
  /** The date field that orders the records. */
  dateField: string;
  /** How forms show the differences before they send the record. */
  difference?: {
    /** The field of a related record with the cost of one unit. */
    costField: string;
    /** A note about what the differences don't show. */
    note: string;
  };
}
