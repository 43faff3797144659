/**
 * Validates single values. Each function returns the problem as the end of a sentence, such as "must be a string", or
 * undefined if the value is valid. The sandbox shares no check with the client.
 */
import type { Field } from '../../api/contract/field.ts';
import { isDay, isTimestamp } from '../calendar.ts';

/** The problems of a value, each with its path below the field (`''` is the field itself); empty if there are none. */
export type Problems = [path: string, problem: string][];

/** Returns a list with the problem, or an empty list. */
export function toProblems(problem: string | undefined, path = ''): Problems {
  return problem === undefined ? [] : [[path, problem]];
}

/** Returns the problems of the items of a list, or of a value that isn't a list. */
export function listProblems(value: unknown, check: (item: unknown) => Problems): Problems {
  if (!Array.isArray(value)) return toProblems('must be an array');
  return value.flatMap((item, index) =>
    check(item).map(([path, problem]): [string, string] => [`.${index}${path}`, problem]),
  );
}

/** Returns the problems of an object, or of a value that isn't an object. */
export function objectProblems(
  value: unknown,
  check: (object: Readonly<Record<string, unknown>>) => Problems,
): Problems {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return toProblems('must be an object');
  return check(value as Readonly<Record<string, unknown>>);
}

/** Returns the problem of text. NUL and incomplete surrogate pairs are refused, because they can't be stored unchanged. */
export function textProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value.isWellFormed() && !value.includes('\0') ? undefined : "has characters that can't be stored";
}

/** Returns the problem of text that must not be empty. */
export function nonEmptyTextProblem(value: unknown): string | undefined {
  return value === '' ? 'must not be empty' : textProblem(value);
}

export function booleanProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false';
}

export function integerProblem(field: Field, value: unknown): string | undefined {
  return Number.isInteger(value) ? numberProblem(field, value) : 'must be an integer';
}

export function numberProblem({ traits }: Field, value: unknown): string | undefined {
  if (typeof value !== 'number') return 'must be a number';
  // Larger numbers can't be stored exactly.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'is too large to be stored exactly';
  const { minimum = -Infinity, maximum = Infinity } = traits;
  if (value < minimum) return `must be at least ${minimum}`;
  return value > maximum ? `must not be greater than ${maximum}` : undefined;
}

const numericPattern = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;

export function numericTextProblem(field: Field, value: unknown): string | undefined {
  if (typeof value !== 'string' || !numericPattern.test(value)) return 'must be a number in a string';
  return numberProblem(field, Number(value));
}

/** How enumerations are validated. */
export interface EnumerationCheck {
  /** Whether the record is new: some values are only allowed for existing records. */
  isNew: boolean;
  /** Whether values that the API document doesn't list are accepted. */
  allowsOtherValues: boolean;
}

/** Returns the problem of a code, which must be one of the field's numbers. */
export function choiceProblem(
  { traits }: Field,
  value: unknown,
  { isNew, allowsOtherValues }: EnumerationCheck,
): string | undefined {
  const listedValues: readonly unknown[] = Object.values(traits.words ?? {});
  const allowedValues: readonly unknown[] = (isNew && traits.creatable) || listedValues;
  if (allowsOtherValues && Number.isSafeInteger(value) && !listedValues.includes(value)) return undefined;
  return allowedValues.includes(value) ? undefined : `must be one of ${allowedValues.join(', ')}`;
}

export function wordProblem(
  { traits: { allowed = [] } }: Field,
  value: unknown,
  { allowsOtherValues }: EnumerationCheck,
): string | undefined {
  if (allowsOtherValues) return nonEmptyTextProblem(value);
  return (allowed as readonly unknown[]).includes(value) ? undefined : 'is not one of the allowed words';
}

export function dayProblem(value: unknown): string | undefined {
  return typeof value === 'string' && isDay(value) ? undefined : 'must be a date, YYYY-MM-DD';
}

export function timestampProblem(value: unknown): string | undefined {
  return typeof value === 'string' && isTimestamp(value) ? undefined : 'must be a time, YYYY-MM-DD HH:MM:SS';
}

const hourPattern = /^(([01]?\d|2[0-3])(:[0-5]\d){0,2}|24(:00){0,2})$/;

/**
 * Returns the problem of an hour: 0 to 24 as a number, or a time of day as text (`9`, `"9"`, `"09:30"`). A day ends at
 * 24:00.
 */
export function hourProblem(value: unknown): string | undefined {
  const isHour =
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0 && value <= 24
      : typeof value === 'string' && hourPattern.test(value);
  return isHour ? undefined : 'must be an hour from 0 to 24';
}

type GeoPoint = [longitude: number, latitude: number];

const minPoints = 4;

/** Returns the problem of a boundary: a closed ring of points, or a single point. */
export function ringProblem(value: unknown): string | undefined {
  if (isGeoPoint(value)) return pointProblem(value);
  if (!Array.isArray(value)) return 'must be a closed ring of [longitude, latitude] pairs, or a single pair';
  if (!value.every(isGeoPoint)) return 'must contain pairs of numbers, [longitude, latitude]';
  const problem = value.map(pointProblem).find((message) => message !== undefined);
  if (problem) return problem;
  if (value.length < minPoints) return `must have at least ${minPoints} pairs`;
  const [first, last] = [value[0], value.at(-1)];
  return String(first) === String(last) ? undefined : 'must be closed: its last pair must repeat the first';
}

/** Returns the boundary for responses. A single pair becomes a ring without an area. */
export function closeRing(value: unknown): unknown {
  return isGeoPoint(value) ? Array.from({ length: minPoints }, () => value) : value;
}

function isGeoPoint(value: unknown): value is GeoPoint {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number');
}

function pointProblem([longitude, latitude]: GeoPoint): string | undefined {
  if (Math.abs(longitude) > 180) return 'has a longitude outside -180 to 180';
  return Math.abs(latitude) > 90 ? 'has a latitude outside -90 to 90' : undefined;
}
