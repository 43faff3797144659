/** A whole body held against its operation: every violation at once, in the words of the answer. */
import type { FieldMessages } from '../../base/errors.ts';
import type { Bounds, Limit } from '../../contract/bounds.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { invalid } from '../http/refusal.ts';
import { kinds } from '../kinds.ts';
import { fromCell, type StoredRow } from '../store/cells.ts';
import { columnOf, type Table } from '../store/tables.ts';
import { own, type Problems } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

/** A record that an update changes. */
export interface Before {
  table: Table;
  row: StoredRow;
}

/** All that can be said without looking at other records. */
export function bodyProblems(operation: Operation, body: Body, before?: Before): Messages {
  const messages = new Messages();
  const isNew = operation.effect === 'create';
  const unexpected = (name: string) => (isField(operation, name) ? "can't be set here" : 'is not known');
  for (const [path, problem] of objectProblems(operation.body, body, isNew, unexpected)) {
    // Without the dot before the first name.
    messages.add(path.slice(1), problem);
  }
  messages.addAll(limitProblems(operation, whole(operation, body, before)));
  return messages;
}

/** An object of fields, the body itself or one within it, by paths such as `.options.0.price`. */
function objectProblems(
  fields: readonly BodyField[],
  given: Body,
  isNew: boolean,
  unexpected: (name: string) => string = () => 'is not known',
): Problems {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  return [
    ...unknown.flatMap((name) => own(unexpected(name), `.${name}`)),
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
  if (isEmpty) return isRequired || (required && value !== undefined) ? own('is required') : [];
  if (value === null) return nullable ? [] : own("can't be null");
  const object = (fields: readonly BodyField[], inner: Body) => objectProblems(fields, inner, false);
  return kinds[field.kind].problems(field, value, { isNew, object });
}

/** Messages by field, as sentences. */
export class Messages {
  /** Without a prototype: a field may be called `__proto__`. */
  readonly found: FieldMessages = Object.create(null);

  /** `add('dial_code', 'must be an integer')` says "The dial code field must be an integer." */
  add(path: string, problem: string): void {
    const said = `The ${path.replaceAll('_', ' ')} field ${problem}.`;
    this.found[path] = [...(this.found[path] ?? []), said];
  }

  get isEmpty(): boolean {
    return Object.keys(this.found).length === 0;
  }

  /** Whether anything is said of the field or of what is in it. */
  has(path: string): boolean {
    return Object.keys(this.found).some((found) => found === path || found.startsWith(`${path}.`));
  }

  /** Refuses the request where there is anything to say. */
  throwAny(): void {
    if (!this.isEmpty) throw invalid(this.found);
  }

  addAll(problems: FieldMessages): void {
    for (const [path, found] of Object.entries(problems)) {
      for (const problem of found) this.add(path, problem);
    }
  }
}

/** The record as it would be: rules on several fields hold for what an update leaves untouched, too. */
function whole({ resource, effect }: Operation, body: Body, before?: Before): Body {
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

/** Bounds of a field that hold while another field has one of some values, held against a whole record. */
type RecordValues = Readonly<Record<string, unknown>>;

/** `record` is what would be there after the write. Fields that are no numbers are told of elsewhere. */
function limitProblems({ body, resource }: Operation, record: RecordValues): FieldMessages {
  const problems: FieldMessages = {};
  const wordAt = (name: string) => {
    const words = Object.entries(resource.fields[name]?.traits.words ?? {});
    return words.find(([, value]) => value === record[name])?.[0] ?? '';
  };
  for (const { name, field } of body) {
    const value = record[name];
    if (typeof value !== 'number') continue;
    const broken = (field.traits.limits ?? []).filter(
      (limit) => limit.is.includes(wordAt(limit.where)) && !keeps(limit, value),
    );
    if (broken.length > 0) problems[name] = broken.map(told);
  }
  return problems;
}

function keeps({ minimum, maximum, above, below }: Bounds, value: number): boolean {
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (above !== undefined && value <= above) return false;
  return below === undefined || value < below;
}

function told({ where, is, minimum, maximum, above, below }: Limit): string {
  const parts = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    above !== undefined && `greater than ${above}`,
    below !== undefined && `less than ${below}`,
  ].filter((part) => part !== false);
  return `must be ${parts.join(' and ')} while ${where} is ${is.join(' or ')}`;
}
