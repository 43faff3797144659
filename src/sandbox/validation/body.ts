/** Validates a body against its operation and returns all problems at once, as messages of the response. */

import type { Bounds, Limit } from '../../api/contract/bounds.ts';
import { type Kind, text } from '../../api/contract/field.ts';
import { type BodyField, linkFields, nestedFields, type Operation } from '../../api/contract/operation.ts';
import type { FieldMessages } from '../../base/errors.ts';
import type { StoredRow } from '../../base/storage/database.ts';
import type { Variant } from '../business/settings.ts';
import { invalid } from '../http/message.ts';
import { fromCell, kinds } from '../kinds.ts';
import { isObject } from '../store/rows.ts';
import { columnOf, type Table } from '../store/tables.ts';
import { type EnumerationCheck, type Problems, toProblems } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

/** A record before an update. */
export interface ExistingRecord {
  table: Table;
  row: StoredRow;
}

/** Returns the messages about a body that don't depend on other records. */
export function bodyProblems(
  operation: Operation,
  body: Body,
  variant: Pick<Variant, 'wire.values'>,
  before?: ExistingRecord,
): Messages {
  const messages = new Messages();
  const check = {
    isNew: operation.effect === 'create',
    allowsOtherValues: variant['wire.values'] === 'any',
  };
  const describeUnexpected = (name: string) =>
    isField(operation, name) ? "can't be set here" : 'is unknown';
  for (const [path, problem] of fieldsProblems(operation.body, body, check, describeUnexpected)) {
    // The dot at the start of the path is removed.
    messages.add(path.slice(1), problem);
  }
  messages.addAll(limitProblems(operation, recordAfterWrite(operation, body, before)));
  return messages;
}

/** Validates the fields of the body or of an object in it. Paths are relative, for example `.options.0.price`. */
function fieldsProblems(
  fields: readonly BodyField[],
  values: Body,
  check: EnumerationCheck,
  describeUnexpected: (name: string) => string = () => 'is unknown',
): Problems {
  const knownNames = new Set(fields.map(({ name }) => name));
  const unknownNames = Object.keys(values).filter((name) => !knownNames.has(name));
  return [
    ...unknownNames.flatMap((name) => toProblems(describeUnexpected(name), `.${name}`)),
    ...fields.flatMap((field) => {
      const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
      return fieldProblems(field, value, check).map(([path, problem]): Problems[number] => [
        `.${field.name}${path}`,
        problem,
      ]);
    }),
  ];
}

function fieldProblems({ field, isRequired }: BodyField, value: unknown, check: EnumerationCheck): Problems {
  const { required, nullable } = field.traits;
  const isEmpty = value === undefined || (required && (value === '' || value === null));
  if (isEmpty) return isRequired || (required && value !== undefined) ? toProblems('is required') : [];
  if (value === null) return nullable ? [] : toProblems("can't be null");
  const validateObject = (fields: readonly BodyField[], values: Body) =>
    fieldsProblems(fields, values, { ...check, isNew: false });
  return kinds[field.kind].problems(field, value, { ...check, validateObject });
}

/** Collects messages by field, as sentences. */
export class Messages {
  /** The messages by field. It has no prototype, because a field can have the name `__proto__`. */
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

  /** Returns whether there is a message about the field or its nested fields. */
  has(path: string): boolean {
    return Object.keys(this.byField).some(
      (fieldPath) => fieldPath === path || fieldPath.startsWith(`${path}.`),
    );
  }

  /** Refuses the request with 422 if there are messages. */
  throwIfAny(): void {
    if (!this.isEmpty) throw invalid(this.byField);
  }

  addAll(problems: FieldMessages): void {
    for (const [path, messages] of Object.entries(problems)) {
      for (const problem of messages) this.add(path, problem);
    }
  }
}

/** Returns the record after the write, because limits can depend on unchanged fields too. */
function recordAfterWrite({ resource, effect }: Operation, body: Body, before?: ExistingRecord): Body {
  if (effect !== 'update' || !before) return body;
  const storedEntries = Object.keys(resource.fields).flatMap((fieldName) => {
    const column = columnOf(before.table, fieldName);
    return column ? [[fieldName, fromCell(column.field, before.row[column.name])]] : [];
  });
  return { ...Object.fromEntries(storedEntries), ...body };
}

function isField({ resource }: Operation, name: string): boolean {
  return Object.hasOwn(resource.fields, name) || Object.hasOwn(resource.fields, name.replace(/_id$/, ''));
}

type RecordValues = Readonly<Record<string, unknown>>;

/**
 * Returns the problems of numbers that exceed limits that depend on another field. `record` is the record after the
 * write. Other checks report values that aren't numbers.
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
    const violatedLimits = (field.traits.limits ?? []).filter(
      (limit) => limit.words.includes(wordOf(limit.where)) && !isWithinBounds(limit, value),
    );
    if (violatedLimits.length > 0) problems[name] = violatedLimits.map(limitMessage);
  }
  return problems;
}

function isWithinBounds({ minimum, maximum, above, below }: Bounds, value: number): boolean {
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (above !== undefined && value <= above) return false;
  return below === undefined || value < below;
}

function limitMessage({ where, words, minimum, maximum, above, below }: Limit): string {
  const parts = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    above !== undefined && `greater than ${above}`,
    below !== undefined && `less than ${below}`,
  ].filter((part) => part !== false);
  return `must be ${parts.join(' and ')} while ${where} is ${words.join(' or ')}`;
}

interface ConvertedBody {
  values: Body;
  /** The paths of the ignored fields: `color`, `options.0.color`. */
  ignoredNames: string[];
}

/** Returns the body with values of the kinds that the fields have. Values that can't be converted are unchanged. */
export function convertBody(fields: readonly BodyField[], body: Body): ConvertedBody {
  const ignoredNames: string[] = [];
  return { values: convertObject(fields, body, '', ignoredNames), ignoredNames };
}

function convertObject(
  fields: readonly BodyField[],
  values: Body,
  path: string,
  ignoredNames: string[],
): Body {
  const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    const bodyField = fields.find((candidate) => candidate.name === name);
    if (bodyField) return [[name, convertValue(bodyField, value, `${path}${name}.`, ignoredNames)]];
    ignoredNames.push(path + name);
    return [];
  });
  return Object.fromEntries(entries);
}

function convertValue({ field }: BodyField, value: unknown, path: string, ignoredNames: string[]): unknown {
  if (!Array.isArray(value)) return convertScalar(field.kind, value);
  if (field.kind === 'integers') return value.map((item) => convertScalar('integer', item));
  const itemFields =
    kinds[field.kind].storedAs === 'links' ? [idField, ...linkFields(field)] : nestedFields(field);
  return value.map((item, index) =>
    isObject(item) ? convertObject(itemFields, item, `${path}${index}.`, ignoredNames) : item,
  );
}

/** The ID of a linked record. */
const idField: BodyField = {
  name: 'id',
  responseName: 'id',
  field: text(),
  isRequired: false,
  mustBeSent: false,
};

function convertScalar(kind: Kind, value: unknown): unknown {
  if (kind === 'numeric_text' && typeof value === 'number') return String(value);
  const canConvert = kind === 'boolean' ? typeof value !== 'object' : typeof value === 'string';
  const isTyped = ['INTEGER', 'REAL'].includes(kinds[kind].sqlType);
  return canConvert && isTyped ? (kinds[kind].fromQuery(String(value)) ?? value) : value;
}
