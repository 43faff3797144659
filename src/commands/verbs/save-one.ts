/** One record written, and what is told of it. */

import type { Row } from '../../client/shape.ts';
import { apiOf } from '../../contract/api.ts';
import { capital } from '../../contract/capital.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import { planned } from '../../interaction/output/planned.ts';
import type { Done, Result } from '../../interaction/output/result.ts';
import { named } from '../../interaction/output/wording.ts';
import { quote } from '../../reference/examples.ts';
import { callFor, type GivenChange } from './save-call.ts';

/** Where questions were asked, the line that does without them is told as well. */
export async function saveOne(
  operation: Operation,
  ids: readonly string[],
  change: GivenChange,
  context: Context,
): Promise<Result> {
  const { call, known = change.known } = await callFor(operation, ids, change, context);
  const session = await context.session();
  const written = await session.write(call, { known });
  if (written.planned) return planned(context, [written.planned]);
  const { answered } = written;
  const done = doneWith(operation, written.call.ids ?? [], answered?.record);
  const remarks = [done.message];
  if (change.isConfirmed) {
    const { commandLine } = await import('../../interaction/input/command-line.ts');
    const line = commandLine(context.globals, operation, call.ids ?? [], call.body);
    remarks.push('The same without questions:', `  ${line}`);
  }
  const { resource } = operation;
  if (!answered) return { kind: 'nothing', remarks };
  const part = operation.effect === 'update' ? changedPart(operation, call.body) : undefined;
  return { kind: 'record', resource, ...answered, part, remarks, done };
}

/** `Supplier “Coastal Fish” (42) created.` */
function doneWith(operation: Operation, ids: readonly string[], record: Row | undefined): Done {
  const { done, link, resource, params } = operation;
  const id = typeof record?.id === 'string' ? record.id : (ids[0] ?? '');
  const what = capital(named(resource.noun, id, record));
  const check = operationOf(resource, 'get') ? `boh ${resource.command} get ${quote(id)}` : undefined;
  const other = link ? ` with ${apiOf(resource).nounOf(params[1]?.target ?? '')} ${ids[1]}` : '';
  return { message: `${what} ${done}${other}.`, check };
}

/** What identifies the record, and the fields that were written. */
function changedPart({ resource, body: fields }: Operation, body: Row = {}): string[] {
  const written = fields.filter(({ name }) => Object.hasOwn(body, name)).map(({ shown }) => shown);
  const title = resource.title === undefined ? [] : [resource.title];
  return [...new Set(['id', ...title, ...written])];
}
