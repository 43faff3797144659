/** What a list is to hold, where a manifest names a part of it: what is there stays, unless the record says `$exact`. */
import { isRowReference } from '../../bulk/ledger/row-reference.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { nestedFields } from '../../contract/operation.ts';
import { titleIn } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';
import { isSame } from '../../session/same-value.ts';

/** `is` and `given` in the shape in which they are sent. Any other value is as it is given. */
export function merged(field: Field, is: unknown, given: unknown, isExact: boolean): unknown {
  if (!Array.isArray(given)) return given;
  const before = Array.isArray(is) ? is : [];
  if (field.kind === 'many') return mergedLinks(before, given, isExact);
  return field.kind === 'objects' ? mergedParts(field, before, given, isExact) : given;
}

/** Those that stay keep their places; of a link that is there, what is said of it counts. */
function mergedLinks(before: readonly unknown[], given: readonly unknown[], isExact: boolean): unknown[] {
  const own = new Map(given.map((link) => [idIn(link), link]));
  const kept = before.flatMap((link) => {
    const mine = own.get(idIn(link));
    own.delete(idIn(link));
    if (mine === undefined) return isExact ? [] : [link];
    return [isRow(mine) && isRow(link) ? { ...link, ...mine } : mine];
  });
  return [...kept, ...own.values()];
}

export function idIn(link: unknown): string {
  const id = isRow(link) && !isRowReference(link) ? link.id : link;
  return typeof id === 'string' ? id : JSON.stringify(id);
}

/** A part is known by its id, else by its name: one that is made anew each time would be another each time. */
function mergedParts(
  { traits: { fields = {} } }: Field,
  before: readonly unknown[],
  given: readonly unknown[],
  isExact: boolean,
): unknown[] {
  const title = titleIn(fields) ?? 'id';
  const open = given.filter(isRow);
  const take = (part: Row): Row | undefined => {
    const byId = open.findIndex(({ id }) => id !== undefined && id === part.id);
    const at = byId >= 0 ? byId : open.findIndex((one) => one.id === undefined && one[title] === part[title]);
    return at < 0 ? undefined : open.splice(at, 1)[0];
  };
  const kept = before.filter(isRow).flatMap((part) => {
    const mine = take(part);
    if (mine === undefined) return isExact ? [] : [part];
    return [mergedPart(fields, part, mine, isExact)];
  });
  return [...kept, ...open];
}

function mergedPart(fields: Fields, part: Row, mine: Row, isExact: boolean): Row {
  const entries = Object.entries(mine).map(([name, value]) => {
    const field = fields[name] ?? fields[name.replace(/_id$/, '')];
    return [name, field ? merged(field, part[name], value, isExact) : value];
  });
  return { ...part, ...Object.fromEntries(entries) };
}

/** Whether a list or value has to be written for it to be so. */
export function differs(field: Field, is: unknown, will: unknown): boolean {
  if (field.kind !== 'objects') return !isSame(field, is ?? null, will);
  const [before, after] = [is, will].map((list) => (Array.isArray(list) ? list.filter(isRow) : []));
  if (before?.length !== after?.length) return true;
  return (after ?? []).some((part, at) => partDiffers(field, before?.[at] ?? {}, part));
}

function partDiffers(field: Field, before: Row, after: Row): boolean {
  if ((before.id ?? null) !== (after.id ?? null)) return true;
  const entries = new Map(nestedFields(field).map((entry) => [entry.name, entry.field]));
  return Object.entries(after).some(([name, value]) => {
    const inner = entries.get(name);
    return inner !== undefined && differs(inner, before[name], value);
  });
}
