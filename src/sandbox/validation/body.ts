/** A whole body held against its operation: every violation at once, in the words of the answer. */
import type { Operation } from '../../contract/operation.ts';
import type { FieldMessages } from '../../errors.ts';
import { invalid } from '../http/refusal.ts';
import { fromCell, type Row } from '../store/cells.ts';
import { columnOf, type Table } from '../store/tables.ts';
import { limitProblems } from './limits.ts';
import { valueProblems } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

/** A record that an update changes. */
export interface Before {
  table: Table;
  row: Row;
}

/** All that can be said without looking at other records. */
export function bodyProblems(operation: Operation, body: Body, before?: Before): Messages {
  const messages = new Messages();
  const known = new Set(operation.body.map(({ name }) => name));
  for (const name of Object.keys(body).filter((sent) => !known.has(sent))) {
    messages.add(name, isField(operation, name) ? "can't be set here" : 'is not known');
  }
  for (const { name, field, isRequired } of operation.body) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    const { required, nullable } = field.traits;
    const isEmpty = value === undefined || (required && (value === '' || value === null));
    if (isEmpty && (isRequired || (required && value !== undefined))) {
      messages.add(name, 'is required');
    } else if (value === null) {
      if (!nullable) messages.add(name, "can't be null");
    } else if (value !== undefined) {
      for (const [path, problem] of valueProblems(field, value, operation.effect === 'create')) {
        messages.add(name + path, problem);
      }
    }
  }
  messages.addAll(limitProblems(operation, whole(operation, body, before)));
  return messages;
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
