/** A request's body on its way into the store: allowed, checked, and split into cells and links. */
import { demandFieldScopes, demandUnlimited } from '../access/access.ts';
import type { Call } from '../call.ts';
import { ruleOf } from '../rules/index.ts';
import { type Cell, type Row, toCell } from '../store/cells.ts';
import type { LinkRelation, NewLink } from '../store/links.ts';
import { relationOf } from '../store/tables.ts';
import { bodyProblems } from '../validation/body.ts';
import { closedRing } from '../validation/ring.ts';
import { addStoredProblems } from '../validation/stored.ts';

export interface Input {
  cells: Record<string, Cell>;
  links: { relation: LinkRelation; links: NewLink[] }[];
}

/** Refuses everything that is wrong at once. `before` is the record that an update changes. */
export function readInput(call: Call, before?: Row): Input {
  const { operation, body, grant, table } = call;
  demandUnlimited(operation, grant, before ?? {});
  demandUnlimited(operation, grant, body);
  demandFieldScopes(operation.body, body, grant);
  const messages = bodyProblems(operation, body, before && { table, row: before });
  addStoredProblems(messages, call, before);
  const rule = ruleOf(operation.resource.name);
  if (messages.isEmpty) messages.addAll(rule.refuse?.(call, { before, body }) ?? {});
  messages.throwAny();

  const input: Input = { cells: {}, links: [] };
  for (const { name, field } of operation.body) {
    if (!Object.hasOwn(body, name) || rule.leftAside?.includes(name)) continue;
    const relation = relationOf(table, name);
    const value = field.kind === 'ring' ? closedRing(body[name]) : body[name];
    if (relation?.kind === 'links') input.links.push({ relation, links: newLinks(relation, value) });
    // A column is called what requests call its field, `category_id` included; `password` has none.
    else if (table.columns.some((column) => column.name === name)) input.cells[name] = toCell(field, value);
  }
  return input;
}

function newLinks({ field, table }: LinkRelation, value: unknown): NewLink[] {
  const { amount } = field.traits;
  const column = table.pivot.find(({ name }) => name === amount);
  return ((value ?? []) as Record<string, unknown>[]).map((item) => ({
    id: String(item.id),
    pivot: column ? { [column.name]: toCell(column.field, item[column.name]) } : {},
  }));
}
