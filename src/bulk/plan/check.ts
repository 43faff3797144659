/** Rows held against the contract, before and after it is known whether they add or change a record. */

import { Failure } from '../../base/errors.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { validateBody } from '../../contract/validate.ts';
import type { Row } from '../../session/row.ts';
import type { Column } from '../../tables/columns/columns.ts';
import type { RowProblem } from '../../tables/table.ts';

const known = new WeakMap<Resource, Operation>();

/** Every field that any write takes, none of them needed: what can be said of a row by itself. */
function anyWrite(resource: Resource): Operation {
  const made = known.get(resource);
  if (made) return made;
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const base = update ?? create;
  if (!base) throw new Failure('usage', `${resource.command} can’t be written, so nothing can be imported.`);
  const bodies = [...(update?.body ?? []), ...(create?.body ?? [])];
  const body = [...new Map(bodies.map((entry) => [entry.name, entry])).values()].map(
    (entry): BodyField => ({ ...entry, isRequired: false, mustBeGiven: false }),
  );
  const any = { ...base, effect: 'update' as const, verb: 'import', body };
  known.set(resource, any);
  return any;
}

/** All that is wrong with a body, whether it adds or changes a record. */
export function checkBody(resource: Resource, body: Row, columns: readonly Column[]): RowProblem[] {
  return problemsOf(anyWrite(resource), body, columns);
}

/** All that is wrong with it as a new record. */
export function checkNew(create: Operation, body: Row, columns: readonly Column[]): RowProblem[] {
  return problemsOf(create, body, columns);
}

function problemsOf(held: Operation, body: Row, columns: readonly Column[]): RowProblem[] {
  return Object.entries(validateBody(held, body)).flatMap(([path, messages]) => {
    const [name = ''] = path.split('.');
    const column = columns.find((each) => each.create?.name === name || each.update?.name === name);
    return messages.map((what) => ({ column: column?.name ?? (name === '_' ? undefined : name), what }));
  });
}
