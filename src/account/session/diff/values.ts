/** Decides whether two values of a field are equal for the service, regardless of their format. */

import type { Field, Kind } from '../../../api/contract/field.ts';
import { nestedFields } from '../../../api/contract/operation.ts';
import { redact } from '../../../base/redaction.ts';
import { isRow } from '../../client/shape.ts';

/**
 * Returns whether the current value equals the desired one. Both are in the format of requests (see `record-body.ts`). A
 * missing value, null and an empty list are equal.
 */
export function isSameValue(field: Field, current: unknown, desired: unknown): boolean {
  return compareValues(field, current, desired, isSameValue);
}

/** Compares two values of a field. */
export type SameValue = (field: Field, current: unknown, desired: unknown) => boolean;

/** Like `isSameValue`; `isSame` compares the values in links and parts. */
export function compareValues(field: Field, current: unknown, desired: unknown, isSame: SameValue): boolean {
  if (isEmptyValue(current) || isEmptyValue(desired)) return isEmptyValue(current) && isEmptyValue(desired);
  return (comparisons[field.kind] ?? isSameJson)(current, desired, field, isSame);
}

/** Returns whether two values are equal in both directions, so that all fields of links and parts are compared. */
export function isSameInBothDirections(field: Field, a: unknown, b: unknown): boolean {
  return isSameValue(field, a, b) && isSameValue(field, b, a);
}

type Compare = (current: unknown, desired: unknown, field: Field, isSame: SameValue) => boolean;

/**
 * Compares numbers: 7.2999999999999998 equals 7.3. Numbers that a double can't represent are compared by their
 * digits.
 */
const compareNumbers: Compare = (current, desired) => {
  const [a, b] = [Number(current), Number(desired)];
  const isInexact = !Number.isFinite(a) || (Number.isInteger(a) && !Number.isSafeInteger(a));
  return isInexact ? String(current) === String(desired) : a === b;
};
/** Compares text. Known secrets are redacted, as they are in responses. */
const compareTexts = (current: unknown, desired: unknown) => {
  const [a, b] = [String(current).normalize(), String(desired).normalize()];
  return a === b || a === redact(b).normalize();
};
/** Compares lists regardless of their order. */
const compareSets: Compare = (current, desired) => isSameSet(current, desired, String);

/** Comparisons by kind; other kinds are compared as JSON. */
const comparisons: Partial<Record<Kind, Compare>> = {
  integer: compareNumbers,
  decimal: compareNumbers,
  choice: compareNumbers,
  numeric_text: compareNumbers,
  hour: (current, desired) => Number.parseInt(String(current), 10) === Number.parseInt(String(desired), 10),
  text: compareTexts,
  unit: compareTexts,
  one: compareTexts,
  date: (current, desired) => String(current).slice(0, 10) === String(desired).slice(0, 10),
  words: compareSets,
  integers: compareSets,
  ring: (current, desired) => {
    const [a, b] = [cornersOf(current), cornersOf(desired)];
    return a && b ? isSameJson(a, b) : isSameJson(current, desired);
  },
  many: (current, desired, field, isSame) =>
    isSameSet(current, desired, idOf) && areSameLinks(field, current, desired, isSame),
  objects: (current, desired, field, isSame) => areSameParts(field, current, desired, isSame),
};

/**
 * Returns the corners of a border, each once: a service closes the ring by repeating the first one, and stores a
 * single pair as a ring without area (API document: "Delivery Zone"). Undefined if the value isn't a border.
 */
function cornersOf(value: unknown): number[][] | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs = value.length === 2 && !value.some(Array.isArray) ? [value] : value;
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2)) return undefined;
  const points = (pairs as unknown[][]).map((pair) => pair.map(Number));
  const isRepeated = (point: number[], index: number) =>
    index > 0 && isSameJson(point, points[index === points.length - 1 ? 0 : index - 1]);
  return points.filter((point, index) => !isRepeated(point, index));
}

/** Returns whether a value is missing, null or an empty list. */
export function isEmptyValue(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function idOf(link: unknown): string {
  return String(isRow(link) ? link.id : link);
}

function isSameSet(a: unknown, b: unknown, keyOf: (item: unknown) => string): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return isSameJson(a, b);
  const [aKeys, bKeys] = [new Set(a.map(keyOf)), new Set(b.map(keyOf))];
  return aKeys.size === bKeys.size && [...aKeys].every((key) => bKeys.has(key));
}

/** Compares only the fields of links that `desired` contains. */
function areSameLinks(
  { traits: { pivot = {} } }: Field,
  current: unknown,
  desired: unknown,
  isSame: SameValue,
): boolean {
  if (!Array.isArray(current) || !Array.isArray(desired)) return true;
  return desired.filter(isRow).every((link) => {
    const match = current.filter(isRow).find((currentLink) => idOf(currentLink) === idOf(link));
    return Object.entries(link).every(([name, value]) => {
      const field = pivot[name];
      return field === undefined || isSame(field, match?.[name], value);
    });
  });
}

/** Compares parts in their order, and only the fields that `desired` contains. */
function areSameParts(field: Field, current: unknown, desired: unknown, isSame: SameValue): boolean {
  if (!Array.isArray(current) || !Array.isArray(desired)) return isSameJson(current, desired);
  const fields = new Map(nestedFields(field).map((entry) => [entry.name, entry.field]));
  return (
    current.length === desired.length &&
    desired.every((part, index) => {
      const currentPart: unknown = current[index];
      if (!isRow(part) || !isRow(currentPart)) return isSameJson(currentPart, part);
      return Object.entries(part).every(([name, value]) => {
        const nestedField = fields.get(name);
        return nestedField
          ? isSame(nestedField, currentPart[name], value)
          : isSameJson(currentPart[name] ?? null, value ?? null);
      });
    })
  );
}

/** Returns whether values are equal without the IDs of parts: a part that was removed and added again has a new ID. */
export function isSameWithoutIds(field: Field, current: unknown, desired: unknown): boolean {
  return isSameValue(field, current, field.kind === 'objects' ? partsWithoutIds(desired) : desired);
}

/** Returns a list of parts to send: without the IDs of parts that the current list doesn't contain. */
export function withExistingPartIds(field: Field, value: unknown, current: unknown): unknown {
  if (field.kind !== 'objects') return value;
  const existingIds = new Set(Array.isArray(current) ? current.filter(isRow).map(({ id }) => id) : []);
  return partsWithoutIds(value, existingIds);
}

/** Returns parts without their IDs, except the IDs in `keptIds`. */
export function partsWithoutIds(parts: unknown, keptIds: ReadonlySet<unknown> = new Set()): unknown {
  if (!Array.isArray(parts)) return parts;
  return parts.map((part) => {
    if (!isRow(part) || keptIds.has(part.id)) return part;
    const { id: _, ...partWithoutId } = part;
    return partWithoutId;
  });
}

/** Compares JSON values. Of an object, only the fields in the second value are compared. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (isRow(a) && isRow(b)) {
    return Object.entries(b).every(([name, value]) => isSameJson(a[name] ?? null, value ?? null));
  }
  return typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : a === b;
}
