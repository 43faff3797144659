/** Finds the values of enumerations that the API document doesn't list. Accounts may have them; see `KnownValues`. */
import { isObject } from '../../base/number-text.ts';
import { mostSimilarWord } from '../../base/suggest.ts';
import type { Field } from './field.ts';
import { wordOf } from './value-text.ts';
import { inputWord } from './wording.ts';

/** A value that the API document doesn't list. */
export interface OtherValue {
  /** The path of the field, with dots and without the indices of lists: `options.costing_method`. */
  path: string;
  field: Field;
  value: string | number;
}

type NamedFields = Iterable<readonly [name: string, field: Field]>;

const enumerations = new WeakMap<object, (readonly [string, Field])[]>();

/** Returns the enumerations among the fields, and the fields that contain enumerations. The result is cached by `key`. */
export function enumerationsIn(key: object, fields: () => NamedFields): (readonly [string, Field])[] {
  const cached = enumerations.get(key);
  if (cached) return cached;
  const found = [...fields()].filter(([, { traits }]) => {
    const isEnumeration = traits.allowed !== undefined || traits.words !== undefined;
    const inner = traits.fields;
    return (
      (isEnumeration && !traits.allowsOtherNumbers) ||
      (inner && enumerationsIn(inner, () => Object.entries(inner)).length > 0)
    );
  });
  enumerations.set(key, found);
  return found;
}

/** Yields the values in a record or a body that the API document doesn't list. Values of the wrong type are skipped. */
export function* otherValues(fields: NamedFields, record: object, prefix = ''): Generator<OtherValue> {
  for (const [name, field] of fields) {
    const content: unknown = Object.hasOwn(record, name) ? record[name as keyof typeof record] : undefined;
    const { fields: inner } = field.traits;
    for (const item of Array.isArray(content) ? content : [content]) {
      if (inner && isObject(item))
        yield* otherValues(
          enumerationsIn(inner, () => Object.entries(inner)),
          item,
          `${prefix}${name}.`,
        );
      else if (!inner) {
        const value = scalarOf(field, item);
        if (value !== undefined && !listedValues(field).includes(value))
          yield { path: prefix + name, field, value };
      }
    }
  }
}

/** Returns the values that the API document lists: words, or the numbers of words. */
function listedValues({ traits: { allowed, words = {} } }: Field): readonly (string | number)[] {
  return allowed ?? Object.values(words);
}

/** Returns the value in the format of requests; undefined if it has the wrong type. Responses may have numbers as text. */
function scalarOf({ traits: { allowed } }: Field, item: unknown): string | number | undefined {
  if (allowed) return typeof item === 'string' && item !== '' ? item : undefined;
  const number = typeof item === 'string' && /^\d+$/.test(item) ? Number(item) : item;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** Describes a value that neither the API document nor the account has, with the nearest one of both. */
export function describeUnknownValue({ field, value }: OtherValue, accountValues: Iterable<unknown>): string {
  const values = [...listedValues(field), ...accountValues];
  const nearest =
    typeof value === 'number'
      ? values
          .filter((known) => typeof known === 'number')
          .reduce((best, known) => (Math.abs(known - value) < Math.abs(best - value) ? known : best))
      : mostSimilarWord(
          value,
          values.filter((known) => typeof known === 'string'),
        );
  const word = wordOf(field, nearest);
  const nearestText = word === undefined ? JSON.stringify(nearest) : `${inputWord(word)} (${nearest})`;
  return `${JSON.stringify(value)} is neither in the API document nor in this account; the nearest known value is ${nearestText}`;
}
