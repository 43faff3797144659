/** Whether a value is of its field's kind. The sandbox reads the contract by itself and shares no check with the client. */
import type { Field } from '../../contract/field.ts';
import { isDay, isMoment } from '../calendar.ts';
import { ringProblem } from './ring.ts';

/** What is wrong, by the path below the field (`''` is the field itself); nothing where the value fits. */
export type Problems = [path: string, problem: string][];

/** A new record may be held to fewer values than an existing one. */
export function valueProblems(field: Field, value: unknown, isNew: boolean): Problems {
  switch (field.kind) {
    case 'words':
    case 'integers':
    case 'ids':
      return listProblems(value, (item) => own(scalarProblem(itemOf(field), item, isNew)));
    case 'many':
      return listProblems(value, (item) => linkProblems(field, item));
    default:
      return own(scalarProblem(field, value, isNew));
  }
}

function own(problem: string | undefined): Problems {
  return problem === undefined ? [] : [['', problem]];
}

function listProblems(value: unknown, check: (item: unknown) => Problems): Problems {
  if (!Array.isArray(value)) return own('must be an array');
  return value.flatMap((item, index) =>
    check(item).map(([path, problem]): [string, string] => [`.${index}${path}`, problem]),
  );
}

/** `{id}`, or `{id, quantity}` where the link carries a number. */
function linkProblems({ traits: { amount, pivot } }: Field, value: unknown): Problems {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return own('must be an object with an id');
  }
  const item = value as Readonly<Record<string, unknown>>;
  const number = amount && pivot?.[amount];
  const allowed = ['id', ...(amount ? [amount] : [])];
  const unknown = Object.keys(item).filter((key) => !allowed.includes(key));
  return [
    ...unknown.map((key): [string, string] => [`.${key}`, 'is not known']),
    ...under('.id', textProblem(item.id)),
    ...(number ? under(`.${amount}`, numberProblem(number, item[amount], false)) : []),
  ];
}

function under(path: string, problem: string | undefined): Problems {
  return problem === undefined ? [] : [[path, problem]];
}

/** The field of a list's items: its kind is that of one item. */
function itemOf({ kind, traits }: Field): Pick<Field, 'kind' | 'traits'> {
  return { kind: kind === 'integers' && !traits.open ? 'choice' : kind, traits };
}

function scalarProblem(
  { kind, traits }: Pick<Field, 'kind' | 'traits'>,
  value: unknown,
  isNew: boolean,
): string | undefined {
  switch (kind) {
    case 'text':
    case 'one':
    case 'ids':
      return textProblem(value);
    case 'integer':
    case 'integers':
      return numberProblem({ traits }, value, true);
    case 'decimal':
      return numberProblem({ traits }, value, false);
    case 'numeric_text':
      return numericTextProblem({ traits }, value);
    case 'unit':
      return typeof value === 'number' ? numberProblem({ traits }, value, true) : filledTextProblem(value);
    case 'hour':
      return hourProblem(value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'date':
      return typeof value === 'string' && isDay(value) ? undefined : 'must be a date, YYYY-MM-DD';
    case 'timestamp':
      return typeof value === 'string' && isMoment(value) ? undefined : 'must be a time, YYYY-MM-DD HH:MM:SS';
    case 'choice': {
      const allowed: readonly unknown[] = (isNew && traits.creatable) || Object.values(traits.words ?? {});
      return allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`;
    }
    case 'words':
      return (traits.allowed as readonly unknown[] | undefined)?.includes(value)
        ? undefined
        : 'is not one of the allowed words';
    case 'ring':
      return ringProblem(value);
    default:
      return "can't be written";
  }
}

/** Text that would not come back as it was sent is refused: NUL, and halves of surrogate pairs. */
function textProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value.isWellFormed() && !value.includes('\0') ? undefined : "holds characters that can't be kept";
}

function filledTextProblem(value: unknown): string | undefined {
  return value === '' ? 'must not be empty' : textProblem(value);
}

function numberProblem(
  { traits }: Pick<Field, 'traits'>,
  value: unknown,
  isWhole: boolean,
): string | undefined {
  if (typeof value !== 'number') return isWhole ? 'must be an integer' : 'must be a number';
  if (isWhole && !Number.isInteger(value)) return 'must be an integer';
  // Past this, different numbers would be kept as the same.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'is too large to be kept exactly';
  const { minimum = -Infinity, maximum = Infinity } = traits;
  if (value < minimum) return `must be at least ${minimum}`;
  return value > maximum ? `must not be greater than ${maximum}` : undefined;
}

const numericForm = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;

function numericTextProblem(field: Pick<Field, 'traits'>, value: unknown): string | undefined {
  if (typeof value !== 'string' || !numericForm.test(value)) return 'must be a number in a string';
  return numberProblem(field, Number(value), false);
}

const hourForm = /^([01]?\d|2[0-4])(:[0-5]\d){0,2}$/;

/** 0 to 24, as a number or in a string: `9`, `"9"`, `"09:00"`. */
function hourProblem(value: unknown): string | undefined {
  const isHour =
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0 && value <= 24
      : typeof value === 'string' && hourForm.test(value);
  return isHour ? undefined : 'must be an hour from 0 to 24';
}
