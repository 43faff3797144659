/**
 * The schemas of values in requests, by kind of field. Validation before sending and the generated JSON Schema both use
 * them. Loaded by writes, `schema` and `openapi`.
 */

import * as z from 'zod';
import { missingValue } from '../../base/errors.ts';
import { decimalPattern } from '../../base/number-text.ts';
import { nearestWord } from '../../base/suggest.ts';
import { describeBounds, isWithin } from './bounds.ts';
import { isDate, isTimestamp } from './date-time.ts';
import type { Field, Kind } from './field.ts';
import { type BodyField, linkFields, nestedFields } from './operation.ts';
import { inputWords, listWords, wordOf } from './value-text.ts';
import { inputWord } from './wording.ts';

/** Marks a check that JSON Schema can't express. The description of the field mentions it instead. */
export const notInJsonSchema = { notInJsonSchema: true };

/** Returns the schema of a field's value without null. `isNew`: for a record that is being created. */
export function valueSchema(field: Field, isNew: boolean): z.ZodType {
  return schemas[field.kind](field, isNew);
}

/** An option of checks inside a union. Without it, their message would replace the message of the union. */
const abortIfInvalid = { abort: true };

/** Returns the schema of an object with these fields and no others. */
export function fieldsSchema(
  body: readonly BodyField[],
  isNew: boolean,
  typeError: string,
  otherFields: z.ZodRawShape = {},
): z.ZodObject {
  const entries = body.map(({ name, field, mustBeSent }) => {
    const value = valueSchema(field, isNew);
    const nullableValue = field.traits.nullable ? value.nullable() : value;
    return [name, mustBeSent ? nullableValue : nullableValue.optional()] as const;
  });
  return z.strictObject(
    { ...otherFields, ...Object.fromEntries(entries) },
    { error: typeMessage(typeError) },
  );
}

const schemas: Readonly<Record<Kind, (field: Field, isNew: boolean) => z.ZodType>> = {
  text: ({ traits }) => (traits.required ? stringSchema().min(1, 'must not be empty') : stringSchema()),
  one: idSchema,
  integer: (field) => withBounds(z.int({ error: typeMessage('must be a whole number') }), field),
  decimal: (field) => withBounds(z.number({ error: typeMessage('must be a number') }), field),
  numeric_text: numericTextSchema,
  unit: () =>
    numberOrTextSchema(
      z.int(abortIfInvalid),
      z.string().min(1, abortIfInvalid),
      'must be the name or the number of a unit',
    ),
  boolean: () => z.boolean({ error: typeMessage('must be true or false') }),
  date: () => stringSchema().refine(isDate, 'must be a date in the form YYYY-MM-DD').meta({ format: 'date' }),
  timestamp: timestampSchema,
  choice: (field, isNew) => enumSchema(field, isNew ? field.traits.creatable : undefined),
  hour: () =>
    numberOrTextSchema(
      z.int(abortIfInvalid).min(0, abortIfInvalid).max(24, abortIfInvalid),
      z.string().regex(/^(([01]?\d|2[0-3])(:[0-5]\d){0,2}|24(:00){0,2})$/, abortIfInvalid),
      'must be a whole hour from 0 to 24, or a time of day such as "09:30"',
    ),
  words: ({ traits: { allowed = [] } }) =>
    listSchema(
      z.union([z.enum([...allowed]), z.string().min(1, abortIfInvalid)], {
        error: typeMessage('must be a word'),
      }),
    ),
  integers: (field) => listSchema(enumSchema(field)),
  ids: () => listSchema(idSchema()),
  ring: ringSchema,
  many: (field) => listSchema(linkSchema(field)),
  object: (field) => objectSchema(field),
  objects: (field) => listSchema(objectSchema(field)),
};

function numericTextSchema(field: Field): z.ZodType {
  const boundsText = describeBounds(field.traits);
  const error = boundsText === undefined ? 'must be a number' : `must be a number ${boundsText}`;
  const isInBounds = (text: string) => Number.isFinite(Number(text)) && isWithin(Number(text), field.traits);
  return stringSchema('must be a number in quotes, such as "2.5"')
    .regex(decimalPattern, { error, abort: true })
    .refine(isInBounds, { error, params: notInJsonSchema });
}

function timestampSchema(): z.ZodType {
  const error = 'must be a time in UTC in the form YYYY-MM-DD HH:MM:SS';
  return stringSchema()
    .regex(timestampPattern, { error, abort: true })
    .refine(isTimestamp, { error, params: notInJsonSchema });
}

/** Matches the format of a timestamp. `isTimestamp` also checks the number of days in the month. */
const timestampPattern = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** Returns the schema of an enumeration. Numbers that the API document doesn't list are valid; see `otherValues`. */
function enumSchema(
  field: Field,
  allowedValues: readonly number[] = Object.values(field.traits.words ?? {}),
): z.ZodType {
  const listed = Object.values(field.traits.words ?? {});
  const error: MessageOf = (issue) =>
    typeMessage(
      `must be one of ${listWords(field, allowedValues)}${numberSuggestion(field, allowedValues, issue.input)}`,
    )(issue);
  return z
    .int({ error })
    .refine((value) => allowedValues.includes(value) || !listed.includes(value), { error })
    .meta(enumMetadata(field, allowedValues));
}

/** Suggests the number of the most similar word, because bodies contain numbers. */
function numberSuggestion(field: Field, allowedValues: readonly number[], input: unknown): string {
  const words = inputWords(field, allowedValues);
  const suggested = typeof input === 'string' ? nearestWord(inputWord(input), words) : undefined;
  const number = allowedValues.find((value) => inputWord(wordOf(field, value) ?? '') === suggested);
  return suggested === undefined ? '' : `; did you mean ${number}?`;
}

/** Returns metadata with the words as titles, which code and form generators support, and the ranges of other numbers. */
function enumMetadata(
  { traits: { words = {} } }: Field,
  allowedValues: readonly number[] = Object.values(words),
) {
  const titles = Object.entries(words).filter(([, value]) => allowedValues.includes(value));
  const listed = Object.values(words).sort((a, b) => a - b);
  const otherRanges = [undefined, ...listed].flatMap((lower, index) => {
    const upper = listed[index];
    if (lower !== undefined && upper === lower + 1) return [];
    return [
      {
        type: 'integer',
        ...(lower !== undefined && { minimum: lower + 1 }),
        ...(upper !== undefined && { maximum: upper - 1 }),
      },
    ];
  });
  return {
    type: 'integer',
    oneOf: [...titles.map(([title, value]) => ({ title, const: value })), ...otherRanges],
  };
}

/** Returns the schema of a link: `{id}`, with the writable fields of its pivot: `{id, quantity}`. */
function linkSchema(field: Field): z.ZodType {
  const pivotFields = linkFields(field);
  const requiredNames = pivotFields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const parts = ['an ID', ...requiredNames.map((name) => `a ${name}`)].join(' and ');
  return fieldsSchema(pivotFields, false, `must be objects with ${parts}`, { id: idSchema() });
}

function objectSchema(field: Field): z.ZodType {
  return fieldsSchema(nestedFields(field), false, 'must be an object of fields');
}

/** Returns the schema of an area: one pair of numbers (API document), or a closed ring of at least four pairs (docs/reference/deployments.md: "Values"). */
function ringSchema(): z.ZodType {
  const pairOrRing = z.union([positionSchema, z.array(positionSchema).min(4, abortIfInvalid)], {
    error: (issue) => typeMessage(ringProblem(issue.input))(issue),
  });
  return pairOrRing.refine(isClosed, {
    error: 'must be closed: the last pair must repeat the first',
    params: notInJsonSchema,
  });
}

const positionSchema = z
  .tuple([
    z.number().min(-180, abortIfInvalid).max(180, abortIfInvalid).meta({ title: 'longitude' }),
    z.number().min(-90, abortIfInvalid).max(90, abortIfInvalid).meta({ title: 'latitude' }),
  ])
  // Not `false`: programs that don't support prefixItems would refuse all items.
  .meta({ items: { type: 'number' } });

function ringProblem(value: unknown): string {
  const formatProblem = 'must be a closed ring of [longitude, latitude] pairs, or a single pair';
  if (!Array.isArray(value)) return formatProblem;
  for (const [index, pair] of (isFlatPair(value) ? [value] : value).entries()) {
    if (!isFlatPair(pair))
      return `must contain pairs of numbers: item ${index + 1} is not [longitude, latitude]`;
    const [longitude, latitude] = pair;
    if (Math.abs(longitude) > 180) return `has a longitude outside -180 to 180: ${longitude}`;
    if (Math.abs(latitude) > 90) return `has a latitude outside -90 to 90: ${latitude}`;
  }
  return 'must have at least four pairs, the last the same as the first';
}

function isClosed(value: [number, number] | [number, number][]): boolean {
  if (isFlatPair(value)) return true;
  const [first, last] = [value[0], value.at(-1)];
  return first?.[0] === last?.[0] && first?.[1] === last?.[1];
}

function isFlatPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));
}

function idSchema(): z.ZodString {
  return stringSchema('must be an ID').min(1, 'must be an ID, not empty');
}

function stringSchema(typeError = 'must be text'): z.ZodString {
  return z.string({ error: typeMessage(typeError) });
}

/** Returns the schema of a value that is a number or text, with one message for both. */
function numberOrTextSchema(number: z.ZodType, text: z.ZodType, typeError: string): z.ZodType {
  return z.union([number, text], { error: typeMessage(typeError) });
}

function listSchema(item: z.ZodType): z.ZodType {
  return z.array(item, { error: typeMessage('must be a list') });
}

function withBounds(number: z.ZodNumber, { traits }: Field): z.ZodType {
  const { minimum, maximum } = traits;
  const error = `must be ${describeBounds(traits)}`;
  const withMinimum = minimum === undefined ? number : number.min(minimum, error);
  return maximum === undefined ? withMinimum : withMinimum.max(maximum, error);
}

type MessageOf = (issue: { input?: unknown; code?: string }) => string | undefined;

/** Returns the message for a value of the wrong type: "is required" if it is missing, "can't be cleared" if it is null. */
function typeMessage(typeError: string): MessageOf {
  return (issue) => {
    if (issue.code === 'unrecognized_keys') return undefined;
    if (issue.input === undefined) return missingValue;
    return issue.input === null ? "can't be cleared" : typeError;
  };
}
