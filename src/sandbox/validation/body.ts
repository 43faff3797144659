/** Validates a whole body against its operation and returns all violations at once, as messages of the response. */
import type { FieldMessages } from '../../base/errors.ts';
import type { Bounds, Limit } from '../../contract/bounds.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { invalid } from '../http/http-error.ts';
import { kinds } from '../kinds.ts';
import { fromCell, type StoredRow } from '../store/cells.ts';
import { columnOf, type Table } from '../store/tables.ts';
import { type Problems, toProblems } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

/** A record before an update. */
export interface RecordBefore {
  table: Table;
  row: StoredRow;
}

/** Returns all problems that can be found without reading other records. */
export function bodyProblems(operation: Operation, body: Body, before?: RecordBefore): Messages {
  const messages = new Messages();
  const isNew = operation.effect === 'create';
  const unexpectedProblem = (name: string) =>
    isField(operation, name) ? "can't be set here" : 'is not known';
  for (const [path, problem] of fieldsProblems(operation.body, body, isNew, unexpectedProblem)) {
    // Without the dot before the first name.
    messages.add(path.slice(1), problem);
  }
  messages.addAll(limitProblems(operation, recordAfterWrite(operation, body, before)));
  return messages;
}

/** Validates an object of fields, the body itself or one within it. Paths are such as `.options.0.price`. */
function fieldsProblems(
  fields: readonly BodyField[],
  given: Body,
  isNew: boolean,
  unexpected: (name: string) => string = () => 'is not known',
): Problems {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  return [
    ...unknown.flatMap((name) => toProblems(unexpected(name), `.${name}`)),
    ...fields.flatMap((field) => {
      const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
      return fieldProblems(field, value, isNew).map(([path, problem]): Problems[number] => [
        `.${field.name}${path}`,
        problem,
      ]);
    }),
  ];
}

function fieldProblems({ field, isRequired }: BodyField, value: unknown, isNew: boolean): Problems {
  const { required, nullable } = field.traits;
  const isEmpty = value === undefined || (required && (value === '' || value === null));
  if (isEmpty) return isRequired || (required && value !== undefined) ? toProblems('is required') : [];
  if (value === null) return nullable ? [] : toProblems("can't be null");
  const object = (fields: readonly BodyField[], inner: Body) => fieldsProblems(fields, inner, false);
  return kinds[field.kind].problems(field, value, { isNew, validateObject: object });
}

/** Messages by field, as sentences. */
export class Messages {
  /** Without a prototype, because a field may be called `__proto__`. */
  readonly byField: FieldMessages = Object.create(null);

  /** Adds a message: `add('dial_code', 'must be an integer')` gives "The dial code field must be an integer." */
  add(path: string, problem: string): void {
    const message = `The ${path.replaceAll('_', ' ')} field ${problem}.`;
    this.byField[path] = [...(this.byField[path] ?? []), message];
  }

  /** Whether there are no messages. */
  get isEmpty(): boolean {
    return Object.keys(this.byField).length === 0;
  }

  /** Returns whether there is a message about the field or something inside it. */
  has(path: string): boolean {
    return Object.keys(this.byField).some((found) => found === path || found.startsWith(`${path}.`));
  }

  /** Refuses the request if there are messages. */
  throwIfAny(): void {
    if (!this.isEmpty) throw invalid(this.byField);
  }

  /** Adds messages by field. */
  addAll(problems: FieldMessages): void {
    for (const [path, found] of Object.entries(problems)) {
      for (const problem of found) this.add(path, problem);
    }
  }
}

/** Returns the record as it would be after the write: rules about several fields also apply to unchanged ones. */
function recordAfterWrite({ resource, effect }: Operation, body: Body, before?: RecordBefore): Body {
  if (effect !== 'update' || !before) return body;
  const stored = Object.keys(resource.fields).flatMap((fieldName) => {
    const column = columnOf(before.table, fieldName);
    return column ? [[fieldName, fromCell(column.field, before.row[column.name])]] : [];
  });
  return { ...Object.fromEntries(stored), ...body };
}

function isField({ resource }: Operation, name: string): boolean {
  return Object.hasOwn(resource.fields, name) || Object.hasOwn(resource.fields, name.replace(/_id$/, ''));
}

/** A whole record, for bounds that depend on another field. */
type RecordValues = Readonly<Record<string, unknown>>;

/**
 * Returns the problems of numbers outside of bounds that depend on another field. `record` is the record after the
 * write. Other checks report fields that aren't numbers.
 */
function limitProblems({ body, resource }: Operation, record: RecordValues): FieldMessages {
  const problems: FieldMessages = {};
  const wordOf = (name: string) => {
    const words = Object.entries(resource.fields[name]?.traits.words ?? {});
    return words.find(([, value]) => value === record[name])?.[0] ?? '';
  };
  for (const { name, field } of body) {
    const value = record[name];
    if (typeof value !== 'number') continue;
    const violated = (field.traits.limits ?? []).filter(
      (limit) => limit.is.includes(wordOf(limit.where)) && !isWithinBounds(limit, value),
    );
    if (violated.length > 0) problems[name] = violated.map(limitMessage);
  }
  return problems;
}

function isWithinBounds({ minimum, maximum, above, below }: Bounds, value: number): boolean {
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (above !== undefined && value <= above) return false;
  return below === undefined || value < below;
}

function limitMessage({ where, is, minimum, maximum, above, below }: Limit): string {
  const parts = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    above !== undefined && `greater than ${above}`,
    below !== undefined && `less than ${below}`,
  ].filter((part) => part !== false);
  return `must be ${parts.join(' and ')} while ${where} is ${is.join(' or ')}`;
}
