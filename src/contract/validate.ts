/** Input held against the contract before it is sent: every violation, in a person's words. Loaded by writes alone. */
import * as z from 'zod';
import type { FieldMessages } from '../errors.ts';
import type { Field } from './field.ts';
import { isDate, isTimestamp } from './moment.ts';
import { decimalForm } from './number-text.ts';
import { type BodyField, linkFields, type Operation } from './operation.ts';
import { listWords } from './text.ts';

/**
 * All that is wrong with a body, by field; empty when it may be sent. Fields the contract doesn't know are wrong too.
 * Never throws, whatever is given.
 */
export function validateBody(operation: Operation, body: Readonly<Record<string, unknown>>): FieldMessages {
  const messages = new Map<string, string[]>();
  const add = (path: readonly PropertyKey[], message: string) => {
    const key = path.map(String).join('.') || '_';
    messages.set(key, [...(messages.get(key) ?? []), message]);
  };
  for (const issue of bodySchema(operation).safeParse(body).error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...issue.path, key], unknownField(operation, issue.path, key));
    } else {
      add(issue.path, issue.message);
    }
  }
  // Only a body that is an object got as far as its fields.
  const found = messages.has('_') ? {} : (operation.resource.check?.(body) ?? {});
  for (const [field, texts] of Object.entries(found)) {
    for (const text of texts) add([field], text);
  }
  return Object.fromEntries(messages);
}

/** What the body of an operation may be; `boh schema` shows the same. */
export function bodySchema(operation: Operation): z.ZodType {
  const isNew = operation.effect === 'create';
  const entries = operation.body.map((entry) => [entry.name, valueSchema(entry, isNew)] as const);
  return z.strictObject(Object.fromEntries(entries), { error: typeMessage('must be an object of fields') });
}

function valueSchema({ field, mustBeGiven }: BodyField, isNew: boolean): z.ZodType {
  const value = fieldSchema(field, isNew);
  const orNull = field.traits.nullable ? value.nullable() : value;
  return mustBeGiven ? orNull : orNull.optional();
}

function fieldSchema(field: Field, isNew: boolean): z.ZodType {
  const { traits } = field;
  switch (field.kind) {
    case 'text':
      return traits.required ? string().min(1, 'must not be empty') : string();
    case 'one':
      return identifier();
    case 'integer':
      return bounded(z.int({ error: typeMessage('must be a whole number') }), field);
    case 'decimal':
      return bounded(z.number({ error: typeMessage('must be a number') }), field);
    case 'numeric_text':
      return string('must be a number in quotes, such as "2.5"').refine(
        (text) => isNumericText(text, field),
        {
          error: `must be a number${boundsOf(field)}`,
        },
      );
    case 'unit':
      return numberOrText((error) => z.int({ error }), 'must be the name or the number of a unit');
    case 'boolean':
      return z.boolean({ error: typeMessage('must be true or false') });
    case 'date':
      return string().refine(isDate, { error: 'must be a day of the calendar, written YYYY-MM-DD' });
    case 'timestamp':
      return string().refine(isTimestamp, { error: 'must be a moment in UTC, written YYYY-MM-DD HH:MM:SS' });
    case 'choice': {
      const allowed = (isNew && traits.creatable) || Object.values(traits.words ?? {});
      return z.literal([...allowed], { error: typeMessage(`must be one of ${listWords(field, allowed)}`) });
    }
    case 'hour':
      return numberOrText(
        (error) => z.int({ error }).min(0, { error }).max(24, { error }),
        'must be a whole hour from 0 to 24',
      );
    case 'words':
      return list(z.enum([...(traits.allowed ?? [])], { error: (issue) => notAWord(issue.input) }));
    case 'integers': {
      const number = z.int({ error: 'must be a whole number' });
      const known = Object.values(traits.words ?? {});
      const isKnown = (value: number) => known.includes(value);
      return list(
        traits.open ? number : number.refine(isKnown, { error: `must be one of ${listWords(field)}` }),
      );
    }
    case 'ids':
      return list(identifier());
    case 'ring':
      return ringSchema();
    case 'many':
      return list(linkSchema(field));
    case 'object':
    case 'objects':
      return z.unknown();
  }
}

/** `[{id}]`, with what the link itself holds where a request may give that: `[{id, quantity}]`. */
function linkSchema(field: Field): z.ZodType {
  const held = linkFields(field);
  const required = held.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const error = typeMessage(
    `must be objects with ${['an id', ...required.map((it) => `a ${it}`)].join(' and ')}`,
  );
  const entries = held.map((entry) => [entry.name, valueSchema(entry, false)] as const);
  return z.strictObject({ id: identifier(), ...Object.fromEntries(entries) }, { error });
}

/** A flat pair of numbers (the document), or a closed ring of at least four pairs (deployments; docs/deployments.md: "Values"). */
function ringSchema(): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    const problem = ringProblem(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });
}

function ringProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a closed ring of [longitude, latitude] pairs, or a single pair';
  const pairs = isFlatPair(value) ? [value] : value;
  for (const [index, pair] of pairs.entries()) {
    if (!isFlatPair(pair))
      return `must hold pairs of numbers: item ${index + 1} is not [longitude, latitude]`;
    const [longitude, latitude] = pair;
    if (Math.abs(longitude) > 180) return `has a longitude outside -180 to 180: ${longitude}`;
    if (Math.abs(latitude) > 90) return `has a latitude outside -90 to 90: ${latitude}`;
  }
  if (pairs[0] === value) return undefined;
  if (pairs.length < 4) return 'must have at least four pairs, the last the same as the first';
  const [first, last] = [pairs[0], pairs.at(-1)] as [number[], number[]];
  return first[0] === last[0] && first[1] === last[1]
    ? undefined
    : 'must be closed: the last pair must repeat the first';
}

function isFlatPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));
}

function identifier(): z.ZodString {
  return string('must be an id').min(1, 'must be an id, and is empty');
}

function string(otherwise = 'must be text'): z.ZodString {
  return z.string({ error: typeMessage(otherwise) });
}

/** A number, or a text that stands for one, with one message whichever was meant. */
function numberOrText(number: (error: MessageOf) => z.ZodType, otherwise: string): z.ZodType {
  const error = typeMessage(otherwise);
  return z.union([number(error), z.string({ error }).min(1, { error })], { error });
}

function list(item: z.ZodType): z.ZodType {
  return z.array(item, { error: typeMessage('must be a list') });
}

function bounded(number: z.ZodNumber, field: Field): z.ZodType {
  const { minimum, maximum } = field.traits;
  const error = `must be${boundsOf(field)}`;
  const fromBelow = minimum === undefined ? number : number.min(minimum, error);
  return maximum === undefined ? fromBelow : fromBelow.max(maximum, error);
}

function boundsOf({ traits: { minimum, maximum } }: Field): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  return minimum === undefined ? '' : ` ${minimum} or more`;
}

function isNumericText(
  text: string,
  { traits: { minimum = -Infinity, maximum = Infinity } }: Field,
): boolean {
  const value = Number(text);
  return decimalForm.test(text) && Number.isFinite(value) && value >= minimum && value <= maximum;
}

type MessageOf = (issue: { input?: unknown; code?: string }) => string | undefined;

/** What is said of a value of the wrong type: "is required" where there is none at all. */
function typeMessage(otherwise: string): MessageOf {
  return (issue) => {
    if (issue.code === 'unrecognized_keys') return undefined;
    if (issue.input === undefined) return 'is required';
    return issue.input === null ? 'can’t be cleared' : otherwise;
  };
}

function notAWord(input: unknown): string {
  return typeof input === 'string' ? `"${input}" is not one of the allowed words` : 'must be a word';
}

function unknownField({ resource, verb }: Operation, path: readonly PropertyKey[], key: string): string {
  if (path.length > 0) return 'is not expected here';
  const isReadOnly = Object.hasOwn(resource.fields, key);
  return isReadOnly ? `can’t be set by ${verb}` : `is not a field of ${resource.command}`;
}
