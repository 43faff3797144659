/** Declares fields with a chain of setters: their kind of value, their rules and their descriptions. */
import type { Bounds } from './bounds.ts';
import type { Scope } from './scope.ts';
import type { Kind, PreviousRecord, TraitsOf, Words } from './traits.ts';

export type { Kind, Words } from './traits.ts';

export type Fields = Readonly<Record<string, Field>>;

export type Traits = TraitsOf<Fields>;

type Flag = {
  [T in keyof Traits]-?: true extends Traits[T]
    ? Exclude<Traits[T], undefined> extends true
      ? T
      : never
    : never;
}[keyof Traits];

/** The immutable declaration of one field. Each setter returns a new one. */
export class Field {
  readonly traits: Readonly<Traits>;

  constructor(traits: Traits) {
    this.traits = traits;
  }

  get kind(): Kind {
    return this.traits.kind;
  }
  /** Whether requests accept the field although its current value can't be read: it is never returned, or it is secret. */
  get isHidden(): boolean {
    return this.traits.secret === true || this.traits.writeOnly === true;
  }
  /** Returns whether a new record may have this number: only some of the listed ones can't be created. */
  allowsNew(value: unknown): boolean {
    const { creatable, words = {} } = this.traits;
    const number = Number(value);
    return !creatable || creatable.includes(number) || !Object.values(words).includes(number);
  }

  describe(description: string): Field {
    return withTraits(this, { description });
  }
  unit(unit: string): Field {
    return withTraits(this, { unit });
  }
  example(example: unknown): Field {
    return withTraits(this, { example });
  }
  between(minimum: number, maximum: number): Field {
    return withTraits(this, { minimum, maximum });
  }
  atLeast(minimum: number): Field {
    return withTraits(this, { minimum });
  }
  /** Adds bounds that apply if the field `where` has one of these words. */
  boundedWhere(where: string, words: readonly string[], bounds: Bounds & { unit?: string }): Field {
    return withTraits(this, { limits: [...(this.traits.limits ?? []), { ...bounds, where, words }] });
  }
  creatable(...creatable: number[]): Field {
    return withTraits(this, { creatable });
  }
  limitedByScope(scope: Scope, ...values: number[]): Field {
    return withTraits(this, { limitedByScope: { scope, values } });
  }
  label(label: string): Field {
    return withTraits(this, { label });
  }
  formDefault(formDefault: unknown): Field {
    return withTraits(this, { formDefault });
  }
  formGroup(formGroup: string): Field {
    return withTraits(this, { formGroup });
  }
  formContext(...formContext: string[]): Field {
    return withTraits(this, { formContext });
  }
  localizes(localizes: string): Field {
    return withTraits(this, { localizes });
  }
  unitFrom(unitFrom: string): Field {
    return withTraits(this, { unitFrom });
  }
  replaces(replaces: string): Field {
    return withTraits(this, { replaces });
  }

  previous(previous: PreviousRecord): Field {
    return withTraits(this, { previous });
  }
  callingCodeIn(dialCode: string): Field {
    return withTraits(this, { dialCode });
  }
  meanings(meanings: Readonly<Record<string, string>>): Field {
    return withTraits(this, { meanings: withoutPrototype(meanings) });
  }
  targetFilter(field: string, value: number): Field {
    return withTraits(this, { targetFilter: { field, value } });
  }
  pivot(pivot: Fields): Field {
    return withTraits(this, { pivot: withoutPrototype(pivot) });
  }
  itemName(itemName: string): Field {
    return withTraits(this, { itemName });
  }
  amountField(amountField: string): Field {
    return withTraits(this, { amountField });
  }
  inverseOf(inverseOf: string): Field {
    return withTraits(this, { inverseOf });
  }
  readScope(readScope: Scope): Field {
    return withTraits(this, { readScope });
  }
  writeScope(writeScope: Scope): Field {
    return withTraits(this, { writeScope });
  }

  required(): Field {
    return withFlag(this, 'required');
  }
  /** Marks a field that creations and updates accept. */
  writable(): Field {
    return withTraits(this, { writable: 'always' });
  }
  /** Marks a field that only creations accept. */
  immutable(): Field {
    return withTraits(this, { writable: 'at_creation' });
  }
  /** Marks a field that only updates accept: `updatable` in the API document's field table, but not in its creation request. */
  updatable(): Field {
    return withTraits(this, { writable: 'in_updates' });
  }
  ignored(): Field {
    return withFlag(this, 'ignored');
  }
  form(form: NonNullable<Traits['form']>): Field {
    return withTraits(this, { form });
  }
  nullable(): Field {
    return withFlag(this, 'nullable');
  }
  includable(): Field {
    return withFlag(this, 'includable');
  }
  sortable(): Field {
    return withFlag(this, 'sortable');
  }
  matchesParts(): Field {
    return withFlag(this, 'matchesParts');
  }
  unique(): Field {
    return withFlag(this, 'unique');
  }
  repeatsId(): Field {
    return withFlag(this, 'repeatsId');
  }
  writeOnly(): Field {
    return withFlag(this, 'writeOnly');
  }
  secret(): Field {
    return withFlag(this, 'secret');
  }
  allowsOthers(): Field {
    return withFlag(this, 'allowsOtherNumbers');
  }
  builtIn(builtIn: string): Field {
    return withTraits(this, { builtIn });
  }
  warnsIfEmpty(): Field {
    return withFlag(this, 'warnsIfEmpty');
  }
  askedInForms(): Field {
    return withFlag(this, 'askedInForms');
  }
  defaultsToSignedInUser(): Field {
    return withFlag(this, 'defaultsToSignedInUser');
  }
}

// Functions, because methods would make each field object larger.
function withTraits(field: Field, traits: Partial<Traits>): Field {
  return new Field({ ...field.traits, ...traits });
}

function withFlag(field: Field, flag: Flag): Field {
  return withTraits(field, { [flag]: true });
}

/** Returns a copy without a prototype. Otherwise, names from outside such as "constructor" would find inherited properties. */
export function withoutPrototype<Table extends object>(table: Table): Table {
  return Object.assign(Object.create(null), table);
}

export const text = (): Field => new Field({ kind: 'text' });
/** Creates a text field for an email address. */
export const email = (): Field => text().form('email');
/** Creates a text field for a phone number. */
export const phone = (): Field => text().form('phone');
/** Creates a text field for a code, such as an SKU or a reference, that people and spreadsheets write in several ways. */
export const code = (): Field => text().form('code');
/** Creates a text field that consists of digits. */
export const digits = (): Field => new Field({ kind: 'text', digits: true });
/** Creates a field for a whole number. */
export const integer = (): Field => new Field({ kind: 'integer' });
/** Creates a field for a number. */
export const decimal = (): Field => new Field({ kind: 'decimal' });
/** Creates a field that is true or false. */
export const boolean = (): Field => new Field({ kind: 'boolean' });
/** Creates a field for a day, `YYYY-MM-DD`. */
export const date = (): Field => new Field({ kind: 'date' });
/** Creates a field for a time in UTC, `YYYY-MM-DD HH:MM:SS`. */
export const timestamp = (): Field => new Field({ kind: 'timestamp' });
/** Creates a field for a number in a string. */
export const numericText = (): Field => new Field({ kind: 'numeric_text' });
/** Creates a field for the name or the number of a unit. */
export const unitName = (): Field => new Field({ kind: 'unit' });
/** Creates a field for a whole hour of the day. */
export const hour = (): Field => new Field({ kind: 'hour' });
/** Creates a field for a list of IDs. */
export const ids = (): Field => new Field({ kind: 'ids' });
/** Creates a field for an area: a closed ring of [longitude, latitude] pairs. */
export const ring = (): Field => new Field({ kind: 'ring' });
/** Creates a field for one number of an enumeration; `words` names each. */
export const choice = (words: Words): Field => new Field({ kind: 'choice', words: withoutPrototype(words) });
/** Creates a field for a list of numbers of an enumeration; `words` names each. */
export const integers = (words: Words): Field =>
  new Field({ kind: 'integers', words: withoutPrototype(words) });
/** Creates a field for a list of these words. */
export const words = (allowed: readonly string[]): Field => new Field({ kind: 'words', allowed });
/** Creates a relation to one record of the resource or reference `target`. */
export const one = (target: string): Field => new Field({ kind: 'one', target });
/** Creates a relation to several records of the resource or reference `target`. */
export const many = (target: string): Field => new Field({ kind: 'many', target });
/** Creates a field with nested fields. */
export const object = (fields: Fields): Field =>
  new Field({ kind: 'object', fields: withoutPrototype(fields) });
/** Creates a field for a list of objects with these fields. */
export const objects = (fields: Fields): Field =>
  new Field({ kind: 'objects', fields: withoutPrototype(fields) });

/** Returns the names of the resources and references that fields and their nested fields refer to. */
export function targetsOf(fields: readonly Field[]): string[] {
  return fields.flatMap(({ traits: { target, fields: inner = {} } }) => [
    ...(target === undefined ? [] : [target]),
    ...targetsOf(Object.values(inner)),
  ]);
}

/** Returns whether the field is an amount of money: its unit starts with "currency". */
export function isMoney({ traits: { unit = '' } }: Field): boolean {
  return unit.split(' ')[0] === 'currency';
}
