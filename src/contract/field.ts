/** Fields: their kind of value, their rules and their descriptions, declared by a chain of setters. */
import type { Bounds } from './bounds.ts';
import type { PreviousRecord } from './previous-record.ts';
import type { Scope } from './scope.ts';
import type { Kind, TraitsOf, Words } from './traits.ts';

export type { Kind, Words } from './traits.ts';

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** The traits of a field. */
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
  /** Whether requests accept the field but its current value can't be read: it is never returned, or it is a secret. */
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
  /** Adds bounds that apply if the field `where` has one of the words `is`. */
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
  shownWith(...shownWith: string[]): Field {
    return changed(this, { shownWith });
  }
  localizes(localizes: string): Field {
    return changed(this, { localizes });
  }
  unitFrom(unitFrom: string): Field {
    return changed(this, { unitFrom });
  }
  previous(previous: PreviousRecord): Field {
    return changed(this, { previous });
  }
  callingCodeIn(dialCode: string): Field {
    return changed(this, { dialCode });
  }
  meanings(meanings: Readonly<Record<string, string>>): Field {
    return changed(this, { meanings: withoutPrototype(meanings) });
  }
  only(field: string, value: number): Field {
    return changed(this, { only: { field, value } });
  }
  pivot(pivot: Fields): Field {
    return changed(this, { pivot: withoutPrototype(pivot) });
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
  /** Marks a field that the requests of creation and update list. */
  writable(): Field {
    return changed(this, { written: 'always' });
  }
  /** Marks a field that is set at creation and refused afterwards. */
  immutable(): Field {
    return changed(this, { written: 'at_creation' });
  }
  /** Marks a field that the field table calls `updatable` and that the request of creation doesn't list. */
  updatable(): Field {
    return changed(this, { written: 'in_updates' });
  }
  ignored(): Field {
    return marked(this, 'ignored');
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
  builtIn(builtIn: string): Field {
    return changed(this, { builtIn });
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

// These are functions and not methods because methods would give each field a larger object shape.
function changed(field: Field, traits: Partial<Traits>): Field {
  return new Field({ ...field.traits, ...traits });
}

function marked(field: Field, flag: Flag): Field {
  return changed(field, { [flag]: true });
}

/** Returns the same table without a prototype, so that look-ups by names from outside find only its own entries. */
export function withoutPrototype<Table extends object>(table: Table): Table {
  return Object.assign(Object.create(null), table);
}

/** Creates a text field. */
export const text = (): Field => new Field({ kind: 'text' });
/** Creates a text field for an email address. */
export const email = (): Field => text().form('email');
/** Creates a text field for a phone number. */
export const phone = (): Field => text().form('phone');
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
/** Creates a field for a list of ids. */
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

/** Returns the names of the resources and references that fields refer to, also those of nested fields. */
export function targetsOf(fields: readonly Field[]): string[] {
  return fields.flatMap(({ traits: { target, fields: inner = {} } }) => [
    ...(target === undefined ? [] : [target]),
    ...targetsOf(Object.values(inner)),
  ]);
}
