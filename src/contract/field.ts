/** What can be said of a field: its kind of value, its rules and its words. Plain data behind a chain of setters. */
import { bare } from './bare.ts';
import type { Bounds, Limit } from './bounds.ts';
import type { Earlier } from './earlier.ts';
import type { Kind, Words } from './kind.ts';
import type { Scope } from './scope.ts';

export type { Kind, Words } from './kind.ts';

export type Fields = Readonly<Record<string, Field>>;

/** Everything that a field can carry; each default is "no" or "not shown". */
export interface Traits {
  kind: Kind;
  /** One sentence for help, explain and the reference; where the document is unclear, which reading is taken. */
  about?: string;
  /** The unit of a number, in the plural: "storage units", "hours", "percent". */
  unit?: string;
  /** Must be given at creation, or with the link whose pivot it is in: the document's asterisk. */
  required?: true;
  /**
   * In which requests it may stand: in those of creation and update, or in one of the two. Without it the field is
   * read-only. In a pivot, or in a nested object: that a request may give it at all.
   */
  written?: 'always' | 'at_creation' | 'in_updates';
  /** May be null. */
  nullable?: true;
  /** A relation that `include` can expand. */
  includable?: true;
  /** Requests list it, and the field table calls it read-only: it may be sent, and the service leaves it aside. */
  leftAside?: true;
  /** `sort` may order by it. */
  sortable?: true;
  /** People search by it: a filter on it matches part of the text. */
  searched?: true;
  /** No two records of the account share a value. */
  unique?: true;
  /** In a pivot: the id of one of the two records that it links, which are known without it. */
  repeatsId?: true;
  /** Marks the name in the business’s second language; the value is the field with the name in the first. */
  localizes?: string;
  /** Sent, never returned. */
  writeOnly?: true;
  /** Never a flag, never shown: given through `--data` or a hidden prompt. */
  secret?: true;
  /** A text of digits: they are what is meant, in whatever script somebody writes them. */
  digits?: true;
  /** What the text is of, where that decides which texts can be meant by it; `person`: what somebody is called, not something. */
  form?: 'email' | 'phone' | 'person';
  /** Where it is not given, the signed-in user stands in for it (docs/reference/deployments.md: "Values"). */
  defaultsToSignedInUser?: true;
  /** Returned only to tokens with this scope. */
  readScope?: Scope;
  /** Accepted only from tokens with this scope. */
  writeScope?: Scope;
  /** `choice`, `integers`: the words for its numbers. */
  words?: Words;
  /** `choice`: the values a new record may take, where fewer than all. */
  creatable?: readonly number[];
  /** `choice`: the values that a token with nothing but this scope may write. */
  limited?: { scope: Scope; values: readonly number[] };
  /** `integers`: any other number is taken as well. */
  open?: true;
  /** `words`: the allowed words. */
  allowed?: readonly string[];
  /** `words`: what each of them stands for, where the word alone doesn't say. */
  meanings?: Readonly<Record<string, string>>;
  /** `integer`, `decimal`, `numeric_text`: the bounds that the document or the meaning gives, inclusive. */
  minimum?: number;
  maximum?: number;
  /** `integer`, `decimal`: bounds that depend on another field; a request that names only one of the two can't be held to them. */
  limits?: readonly Limit[];
  /** `one`, `many`: the resource or reference on the other side, by the last part of its path. */
  target?: string;
  /** `many`: only records whose field of that name has the value fit: tags are for one kind of record each. */
  only?: { field: string; value: number };
  /** `many`: what the link itself holds; in answers it stands under `pivot`. */
  pivot?: Fields;
  /** `many`: the pivot number that the command line gives beside each id: `--items ITEM=2.5`. */
  amount?: string;
  /** `many`: the other side's field that keeps the link; this side shows the same link. */
  inverseOf?: string;
  /** `many`, `objects`: one of them, in snake case, where no other resource’s name tells: `subgroup`. */
  each?: string;
  /** `object`, `objects`: what is inside. */
  fields?: Fields;
  /** A value for help, samples and tests; the sandbox accepts it. */
  example?: unknown;
  /** What people call it, where its name in words won’t do: "SKU". */
  label?: string;
  /** `boolean`: the word for the one record that it is true of, which every account has by itself: nobody makes another. */
  own?: string;
  /** People are asked for it when a record is made, though it may be left out: it is what the record is for. */
  asked?: true;
  /** A record is of little use without any: what takes away the last of it is told of first. */
  vital?: true;
  /** What a new record mostly has. People are asked for it last, with this as the answer of Enter alone. */
  usual?: unknown;
  /** `boolean`: with others of that word it is one question, such as on which days. */
  together?: string;
  /** `many`: what of a related record people want to see while they give its number. */
  beside?: readonly string[];
  /** The field that says its unit: of a `many`, one of the related record; else of the record, or of the record of its link. */
  unitFrom?: string;
  /** `many`: what people compare its numbers with. */
  earlier?: Earlier;
  /** `phone`: the field that holds its country calling code; without one the code stands in the number. */
  dialCode?: string;
}

type Flag = {
  [T in keyof Traits]-?: true extends Traits[T]
    ? Exclude<Traits[T], undefined> extends true
      ? T
      : never
    : never;
}[keyof Traits];

/** An immutable description of one field; every setter answers a new one. */
export class Field {
  readonly traits: Readonly<Traits>;

  constructor(traits: Traits) {
    this.traits = traits;
  }

  get kind(): Kind {
    return this.traits.kind;
  }
  /** A request may hold it, and what is there can’t be known: no answer shows it, or whatever one shows is a secret. */
  get isHidden(): boolean {
    return this.traits.secret === true || this.traits.writeOnly === true;
  }

  about(about: string): Field {
    return changed(this, { about });
  }
  unit(unit: string): Field {
    return changed(this, { unit });
  }
  example(example: unknown): Field {
    return changed(this, { example });
  }
  between(minimum: number, maximum: number): Field {
    return changed(this, { minimum, maximum });
  }
  atLeast(minimum: number): Field {
    return changed(this, { minimum });
  }
  /** Has to be within these bounds where the field of that name is one of these words; may be said more than once. */
  boundedWhere(where: string, is: readonly string[], bounds: Bounds & { unit?: string }): Field {
    return changed(this, { limits: [...(this.traits.limits ?? []), { ...bounds, where, is }] });
  }
  creatable(...creatable: number[]): Field {
    return changed(this, { creatable });
  }
  limitedTo(scope: Scope, ...values: number[]): Field {
    return changed(this, { limited: { scope, values } });
  }
  label(label: string): Field {
    return changed(this, { label });
  }
  usually(usual: unknown): Field {
    return changed(this, { usual });
  }
  together(together: string): Field {
    return changed(this, { together });
  }
  beside(...beside: string[]): Field {
    return changed(this, { beside });
  }
  localizes(localizes: string): Field {
    return changed(this, { localizes });
  }
  unitFrom(unitFrom: string): Field {
    return changed(this, { unitFrom });
  }
  earlier(earlier: Earlier): Field {
    return changed(this, { earlier });
  }
  dialledBy(dialCode: string): Field {
    return changed(this, { dialCode });
  }
  meanings(meanings: Readonly<Record<string, string>>): Field {
    return changed(this, { meanings: bare(meanings) });
  }
  only(field: string, value: number): Field {
    return changed(this, { only: { field, value } });
  }
  pivot(pivot: Fields): Field {
    return changed(this, { pivot: bare(pivot) });
  }
  each(each: string): Field {
    return changed(this, { each });
  }
  amount(amount: string): Field {
    return changed(this, { amount });
  }
  inverseOf(inverseOf: string): Field {
    return changed(this, { inverseOf });
  }
  readScope(readScope: Scope): Field {
    return changed(this, { readScope });
  }
  writeScope(writeScope: Scope): Field {
    return changed(this, { writeScope });
  }

  required(): Field {
    return marked(this, 'required');
  }
  /** The requests of creation and update list it. */
  writable(): Field {
    return changed(this, { written: 'always' });
  }
  /** Set at creation, refused afterwards. */
  immutable(): Field {
    return changed(this, { written: 'at_creation' });
  }
  /** Marked `updatable` in the document's field table, though no request of creation lists it. */
  updatable(): Field {
    return changed(this, { written: 'in_updates' });
  }
  leftAside(): Field {
    return marked(this, 'leftAside');
  }
  form(form: NonNullable<Traits['form']>): Field {
    return changed(this, { form });
  }
  nullable(): Field {
    return marked(this, 'nullable');
  }
  includable(): Field {
    return marked(this, 'includable');
  }
  sortable(): Field {
    return marked(this, 'sortable');
  }
  searched(): Field {
    return marked(this, 'searched');
  }
  unique(): Field {
    return marked(this, 'unique');
  }
  repeatsId(): Field {
    return marked(this, 'repeatsId');
  }
  writeOnly(): Field {
    return marked(this, 'writeOnly');
  }
  secret(): Field {
    return marked(this, 'secret');
  }
  open(): Field {
    return marked(this, 'open');
  }
  own(own: string): Field {
    return changed(this, { own });
  }
  vital(): Field {
    return marked(this, 'vital');
  }
  asked(): Field {
    return marked(this, 'asked');
  }
  defaultsToSignedInUser(): Field {
    return marked(this, 'defaultsToSignedInUser');
  }
}

// Functions, as the engine would mark each field that it makes as one that has such methods.
function changed(field: Field, traits: Partial<Traits>): Field {
  return new Field({ ...field.traits, ...traits });
}

function marked(field: Field, flag: Flag): Field {
  return changed(field, { [flag]: true });
}

export const text = (): Field => new Field({ kind: 'text' });
export const email = (): Field => text().form('email');
export const phone = (): Field => text().form('phone');
export const digits = (): Field => new Field({ kind: 'text', digits: true });
export const integer = (): Field => new Field({ kind: 'integer' });
export const decimal = (): Field => new Field({ kind: 'decimal' });
export const boolean = (): Field => new Field({ kind: 'boolean' });
export const date = (): Field => new Field({ kind: 'date' });
export const timestamp = (): Field => new Field({ kind: 'timestamp' });
export const numericText = (): Field => new Field({ kind: 'numeric_text' });
export const unitName = (): Field => new Field({ kind: 'unit' });
export const hour = (): Field => new Field({ kind: 'hour' });
export const ids = (): Field => new Field({ kind: 'ids' });
export const ring = (): Field => new Field({ kind: 'ring' });
export const choice = (words: Words): Field => new Field({ kind: 'choice', words: bare(words) });
export const integers = (words: Words): Field => new Field({ kind: 'integers', words: bare(words) });
export const words = (allowed: readonly string[]): Field => new Field({ kind: 'words', allowed });
export const one = (target: string): Field => new Field({ kind: 'one', target });
export const many = (target: string): Field => new Field({ kind: 'many', target });
export const object = (fields: Fields): Field => new Field({ kind: 'object', fields: bare(fields) });
export const objects = (fields: Fields): Field => new Field({ kind: 'objects', fields: bare(fields) });
