/** What may be wrong with a single value, in the words of answers. The sandbox shares no check with the client. */
import type { Field } from '../../contract/field.ts';
import { isDay, isMoment } from '../calendar.ts';

/** What is wrong, by the path below the field (`''` is the field itself); nothing where the value fits. */
export type Problems = [path: string, problem: string][];

export function own(problem: string | undefined, path = ''): Problems {
  return problem === undefined ? [] : [[path, problem]];
}

export function listProblems(value: unknown, check: (item: unknown) => Problems): Problems {
  if (!Array.isArray(value)) return own('must be an array');
  return value.flatMap((item, index) =>
    check(item).map(([path, problem]): [string, string] => [`.${index}${path}`, problem]),
  );
}

export function objectProblems(
  value: unknown,
  check: (object: Readonly<Record<string, unknown>>) => Problems,
): Problems {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return own('must be an object');
  return check(value as Readonly<Record<string, unknown>>);
}

/** Text that would not come back as it was sent is refused: NUL, and halves of surrogate pairs. */
export function textProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value.isWellFormed() && !value.includes('\0') ? undefined : "holds characters that can't be kept";
}

export function filledTextProblem(value: unknown): string | undefined {
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
  // Past this, different numbers would be kept as the same.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'is too large to be kept exactly';
  const { minimum = -Infinity, maximum = Infinity } = traits;
  if (value < minimum) return `must be at least ${minimum}`;
  return value > maximum ? `must not be greater than ${maximum}` : undefined;
}

const numericForm = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;

export function numericTextProblem(field: Field, value: unknown): string | undefined {
  if (typeof value !== 'string' || !numericForm.test(value)) return 'must be a number in a string';
  return numberProblem(field, Number(value));
}

export function choiceProblem({ traits }: Field, value: unknown, isNew: boolean): string | undefined {
  const allowed: readonly unknown[] = (isNew && traits.creatable) || Object.values(traits.words ?? {});
  return allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`;
}

export function wordProblem({ traits: { allowed = [] } }: Field, value: unknown): string | undefined {
  return (allowed as readonly unknown[]).includes(value) ? undefined : 'is not one of the allowed words';
}

export function dayProblem(value: unknown): string | undefined {
  return typeof value === 'string' && isDay(value) ? undefined : 'must be a date, YYYY-MM-DD';
}

export function momentProblem(value: unknown): string | undefined {
  return typeof value === 'string' && isMoment(value) ? undefined : 'must be a time, YYYY-MM-DD HH:MM:SS';
}

const hourForm = /^(([01]?\d|2[0-3])(:[0-5]\d){0,2}|24(:00){0,2})$/;

/** 0 to 24 as a number, or a time of day in a string: `9`, `"9"`, `"09:30"`; a day ends at 24:00. */
export function hourProblem(value: unknown): string | undefined {
  const isHour =
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0 && value <= 24
      : typeof value === 'string' && hourForm.test(value);
  return isHour ? undefined : 'must be an hour from 0 to 24';
}
