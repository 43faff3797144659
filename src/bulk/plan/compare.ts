/** What a row changes of a record: field by field, and nothing that is as it should be already. */

import type { Field } from '../../contract/field.ts';
import type { BodyField } from '../../contract/operation.ts';
import { mask } from '../../mask.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { isSame } from '../../session/same-value.ts';
import { isSecret } from '../ledger/secret-mark.ts';
import type { ListMode } from './options.ts';

export type Changes = Record<string, readonly [unknown, unknown]>;

export interface Difference {
  /** What has to be sent. */
  body: Row;
  /** By the fields' own names; a secret stands there without its value. */
  changes: Changes;
}

/** `fields` are those that an update takes. What a record doesn't show is taken for another value. */
export function differenceOf(
  fields: readonly BodyField[],
  given: Row,
  record: Row,
  listMode: ListMode,
): Difference {
  const asked = fields.filter(({ name }) => Object.hasOwn(given, name));
  const current = bodyFrom({ body: asked }, record);
  const body: Row = {};
  const changes: Changes = {};
  for (const { name, shown, field } of asked) {
    const is = Object.hasOwn(current.body, name) ? current.body[name] : undefined;
    const isUnknown = current.unknown.includes(name);
    const will = merged(field, is, given[name], listMode);
    if (!isUnknown && isSame(field, is ?? null, will)) continue;
    body[name] = will;
    changes[shown] = [isUnknown ? undefined : (is ?? null), isSecret(will) ? mask : will];
  }
  return { body, changes };
}

/** With `add` and `remove`, what the row holds of a list is taken to be a part of it. */
function merged(field: Field, is: unknown, given: unknown, mode: ListMode): unknown {
  if (mode === 'replace' || !Array.isArray(given)) return given;
  const before = Array.isArray(is) ? is : [];
  const keys = new Set(given.map((item) => keyOf(item)));
  const rest = before.filter((item) => !keys.has(keyOf(item)));
  if (mode === 'remove') return rest;
  // Those that stay keep their places; of a link that is there already, what the row says of it counts.
  const own = new Map(given.map((item) => [keyOf(item), item]));
  const kept = before.map((item) => {
    const mine = own.get(keyOf(item));
    own.delete(keyOf(item));
    return isRow(mine) && isRow(item) ? { ...item, ...mine } : item;
  });
  return field.kind === 'objects' ? [...rest, ...given] : [...kept, ...own.values()];
}

function keyOf(item: unknown): string {
  return isRow(item) ? String(item.id) : String(item);
}
