/** Whether a value of a request is right at a glance: for many records, of which nearly all are. What is wrong is said by `validate.ts`. */
import { isWithin } from './bounds.ts';
import type { Field, Kind } from './field.ts';
import { isDate, isTimestamp } from './moment.ts';
import type { Operation } from './operation.ts';

/** Never true for what `validateBody` refuses. */
export function isPlainBody({ body, effect }: Operation, given: Readonly<Record<string, unknown>>): boolean {
  const entries = new Map(body.map((entry) => [entry.name, entry]));
  for (const { name, mustBeGiven } of body) if (mustBeGiven && !Object.hasOwn(given, name)) return false;
  return Object.entries(given).every(([name, value]) => {
    const field = entries.get(name)?.field;
    // Of a new record some values are refused that an update takes.
    return field && !(effect === 'create' && field.traits.creatable) && isPlainlyValid(field, value);
  });
}

/** Never true for what `validateBody` refuses in an update; false also where it takes more than a glance. */
export function isPlainlyValid({ kind, traits }: Field, value: unknown): boolean {
  if (traits.limits !== undefined) return false;
  if (value === null) return traits.nullable === true;
  return glances[kind]?.(value, traits) ?? false;
}

type Glance = (value: unknown, traits: Field['traits']) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const glances: Partial<Record<Kind, Glance>> = {
  text: (value, { required }) => typeof value === 'string' && (!required || value !== ''),
  one: isText,
  integer: (value, traits) => Number.isSafeInteger(value) && isWithin(Number(value), traits),
  decimal: (value, traits) => Number.isFinite(value) && isWithin(Number(value), traits),
  boolean: (value) => typeof value === 'boolean',
  unit: (value) => isText(value) || Number.isSafeInteger(value),
  choice: (value, { words = {} }) => {
    for (const word in words) if (words[word] === value) return true;
    return false;
  },
  date: (value) => typeof value === 'string' && isDate(value),
  timestamp: (value) => typeof value === 'string' && isTimestamp(value),
};
