/**
 * Values that the API allows and that are almost always mistakes. Each rule is a predicate over the values of a record;
 * forms warn about them, and refuse nothing.
 */
import { numberIn } from '../base/number-text.ts';
import type { BodyField } from './operation.ts';
import { isLines } from './operation.ts';
import { capitalized } from './wording.ts';

/** A value that is probably a mistake. */
export interface Unlikely {
  /** The name of the rule. */
  rule: string;
  /** The fields that the message is about, as requests name them. */
  fields: readonly string[];
  /** What is unlikely, as a sentence. */
  message: string;
}

/** The values of a record, by the names of requests. */
type Values = Readonly<Record<string, unknown>>;

interface Rule {
  name: string;
  /** Returns what is unlikely about the values of these fields. */
  find(fields: readonly BodyField[], values: Values): Omit<Unlikely, 'rule'>[];
}

const rules: readonly Rule[] = [
  {
    name: 'minimum-above-maximum',
    find: (fields, values) =>
      pairs(fields, 'minimum_', 'maximum_').flatMap(([low, high]) => {
        const [from, to] = [values[low], values[high]];
        return isAbove(from, to)
          ? [{ fields: [low, high], message: `${wordsOf(low)} (${from}) is above ${wordsOf(high)} (${to})` }]
          : [];
      }),
  },
  {
    name: 'end-before-start',
    find: (fields, values) =>
      pairs(fields, 'from_', 'to_').flatMap(([start, end]) => {
        const [from, to] = [values[start], values[end]];
        const isDay = fields.some(({ name, field }) => name === start && field.kind === 'date');
        return isDay && isEndBeforeStart(from, to)
          ? [{ fields: [start, end], message: `it ends (${to}) before it starts (${from})` }]
          : [];
      }),
  },
  {
    name: 'negative-quantity',
    find: (fields, values) =>
      fields.flatMap(({ name, field }) => {
        const { amount = '' } = field.traits;
        const lines = isLines(field) && Array.isArray(values[name]) ? (values[name] as Values[]) : [];
        const count =
          amount === 'quantity' ? lines.filter((line) => (numberIn(line[amount]) ?? 0) < 0).length : 0;
        const [what, is] = count === 1 ? ['quantity', 'is'] : ['quantities', 'are'];
        return count > 0 ? [{ fields: [name], message: `${count} ${what} ${is} negative` }] : [];
      }),
  },
  {
    name: 'letters-in-phone',
    find: (fields, values) =>
      fields.flatMap(({ name, field }) => {
        const value = values[name];
        return field.traits.form === 'phone' && typeof value === 'string' && /\p{L}/u.test(value)
          ? [{ fields: [name], message: `${wordsOf(name)} has letters: ${value}` }]
          : [];
      }),
  },
  {
    name: 'no-name',
    find: (fields, values) =>
      fields.flatMap(({ name, field }) =>
        name === 'name' && field.traits.form === 'person' && (values[name] ?? '') === ''
          ? [{ fields: [name], message: `${wordsOf(name)} is empty` }]
          : [],
      ),
  },
];

/** Returns whether a number is above its limit; an empty limit or 0 is none. */
export function isAbove(value: unknown, limit: unknown): boolean {
  const [own, most] = [numberIn(value) ?? 0, numberIn(limit) ?? 0];
  return most > 0 && own > most;
}

/** Returns whether the last day is before the first one, both `YYYY-MM-DD`. */
export function isEndBeforeStart(first: unknown, last: unknown): boolean {
  return typeof first === 'string' && typeof last === 'string' && last < first;
}

/** Returns everything that is unlikely about the values of a record, or of a link. */
export function unlikelyIn(fields: readonly BodyField[], values: Values): Unlikely[] {
  return rules.flatMap(({ name: rule, find }) =>
    find(fields, values).map((found) => ({ rule, ...found, message: `${capitalized(found.message)}.` })),
  );
}

/** Returns the names of fields that belong together: `minimum_level` and `maximum_level`. */
function pairs(fields: readonly BodyField[], first: string, second: string): [string, string][] {
  const names = new Set(fields.map(({ name }) => name));
  return [...names].flatMap((name): [string, string][] => {
    const other = second + name.slice(first.length);
    return name.startsWith(first) && names.has(other) ? [[name, other]] : [];
  });
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ');
}
