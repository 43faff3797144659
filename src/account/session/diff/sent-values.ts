/** Compares the values that a write sent with a record, and allows for the forms in which services store values. */

import type { Field } from '../../../api/contract/field.ts';
import { normalizeKey } from '../../../api/contract/normalize-key.ts';
import type { BodyField } from '../../../api/contract/operation.ts';
import { isSimilarPhone } from '../../../api/contract/phone-numbers.ts';
import type { Call } from '../../client/request.ts';
import { isRow } from '../../client/shape.ts';
import { bodyFrom, linksIn, linkTo, pivotOf } from '../record-body.ts';
import type { Row } from '../row.ts';
import { compareValues } from './values.ts';

/** A value that a write sent and a record shows. */
export interface ShownValue {
  /** The name of the field in the request; for a link the field with the links. */
  name: string;
  sent: unknown;
  /** The value of the record, in the format of requests; null if it is empty. */
  shown: unknown;
  isSame: boolean;
}

/** Returns the sent values that a record shows. A secret is never among them. */
export function shownValues(
  { operation: { link, body: fields }, ids: [, linkedId] = [], body = {} }: Call,
  record: Row,
): ShownValue[] {
  if (!link) return fields.flatMap((entry) => shownValue(entry, body, record));
  if (!linksIn(record, link.field)) return [];
  const shownLink = linkTo(record, link.field, linkedId);
  const shown = shownLink ? linkedId : null;
  return [
    { name: link.field, sent: linkedId, shown, isSame: shownLink !== undefined },
    ...(shownLink ? fields.flatMap((entry) => shownValue(entry, body, pivotOf(shownLink))) : []),
  ];
}

function shownValue(entry: BodyField, body: Row, record: Row): ShownValue[] {
  const { name, responseName, field } = entry;
  const value = record[responseName] === undefined ? record[name] : record[responseName];
  if (field.isHidden || field.traits.ignored || value === undefined || !Object.hasOwn(body, name)) return [];
  const [sent, shown] = [body[name], bodyFrom({ body: [entry] }, record).body[name] ?? null];
  return [{ name, sent, shown, isSame: isStoredAs(field, shown, sent) }];
}

/** Returns whether a service may show the sent value in this form. */
function isStoredAs(field: Field, shown: unknown, sent: unknown): boolean {
  return compareValues(field, shown, sent, isStoredAs) || isOtherForm(field, shown, sent);
}

function isOtherForm(field: Field, shown: unknown, sent: unknown): boolean {
  if (isBlank(shown) || isBlank(sent)) return isBlank(shown) && isBlank(sent);
  switch (field.kind) {
    case 'decimal':
    case 'numeric_text':
      return isRounded(Number(shown), Number(sent));
    case 'text':
    case 'unit':
      return isSameForm(field, String(shown), String(sent));
    case 'one':
      return String(shown).toLowerCase() === String(sent).toLowerCase();
    case 'ids':
    case 'many':
    case 'objects':
      return isSameInAnyOrder(field, shown, sent);
    default:
      return false;
  }
}

/** Returns whether a value is empty, false or 0: some services return these for each other. */
function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '' || Number(value) === 0;
  return !value || Number(value) === 0 || (Array.isArray(value) && value.length === 0);
}

function isSameForm(field: Field, shown: string, sent: string): boolean {
  if (field.traits.form === 'phone' && isSimilarPhone(shown, sent)) return true;
  return normalizeKey(field, shown) === normalizeKey(field, sent);
}

/** Services store at least this number of decimals. */
const minStoredDecimals = 2;

/** Returns whether the shown number is the sent number, rounded or truncated to fewer decimals. */
function isRounded(shown: number, sent: number): boolean {
  const decimals = Math.max(decimalsOf(shown), minStoredDecimals);
  return decimalsOf(sent) > decimals && Math.abs(shown - sent) < 10 ** -decimals;
}

function decimalsOf(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

/** Compares lists in any order. Of links and parts, only the values that the record shows are compared. */
function isSameInAnyOrder(field: Field, shown: unknown, sent: unknown): boolean {
  if (!Array.isArray(shown) || !Array.isArray(sent) || shown.length !== sent.length) return false;
  const unmatched = [...shown];
  return sent.every((item) => {
    const index = unmatched.findIndex((other) =>
      isRow(item) && isRow(other)
        ? compareValues(field, [other], [shownPart(item, other)], isStoredAs)
        : String(other) === String(item),
    );
    return index >= 0 && unmatched.splice(index, 1).length > 0;
  });
}

function shownPart(sent: Row, shown: Row): Row {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(shown, name)));
}
