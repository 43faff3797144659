/** Links with an address of their own: set, changed and removed one at a time. */
import { writeMoment } from '../calendar.ts';
import type { Call } from '../call.ts';
import { emptyAnswer, type ServiceResponse } from '../http/message.ts';
import { notFound } from '../http/refusal.ts';
import { ruleOf } from '../rules/index.ts';
import { toCell } from '../store/cells.ts';
import { type LinkRelation, removeLink, setLink } from '../store/links.ts';
import { updateRow } from '../store/rows.ts';
import { relationOf } from '../store/tables.ts';
import { bodyProblems } from '../validation/body.ts';
import { isActive } from '../validation/stored.ts';
import { activeNamed, named } from './find.ts';
import { answerRecord } from './read.ts';
import { touchOthers } from './touch.ts';

/** Adds the link, or changes what it holds. */
export function link(call: Call): ServiceResponse {
  const { database, operation, body } = call;
  const { id, otherId, relation } = ends(call);
  if (!isActive(database, relation.target, otherId)) throw notFound();
  const messages = bodyProblems(operation, body);
  messages.addAll(ruleOf(call.table.name).refuseLink?.(call, relation.fieldName, id, otherId) ?? {});
  messages.throwAny();
  const sent = operation.body.filter(({ name }) => Object.hasOwn(body, name));
  const pivot = Object.fromEntries(sent.map(({ name, field }) => [name, toCell(field, body[name])]));
  setLink(database, relation, id, { id: otherId, pivot });
  touch(call, id, relation, otherId);
  return answerRecord(call, named(call));
}

export function unlink(call: Call): ServiceResponse {
  const { id, otherId, relation } = ends(call);
  if (!removeLink(call.database, relation, id, otherId)) throw notFound();
  touch(call, id, relation, otherId);
  return emptyAnswer(call);
}

function ends(call: Call): { id: string; otherId: string; relation: LinkRelation } {
  const id = String(activeNamed(call).id);
  const relation = relationOf(call.table, call.operation.link?.field ?? '');
  if (relation?.kind !== 'links') throw new Error(`${call.operation.verb} has no link table`);
  return { id, otherId: call.ids[1] ?? '', relation };
}

function touch(call: Call, id: string, relation: LinkRelation, otherId: string): void {
  updateRow(call.database, call.table, id, { updated_at: writeMoment(call.now) });
  touchOthers(call, relation, [otherId]);
}
