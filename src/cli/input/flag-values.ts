/** Parses the values of a field's flag. Empty values are refused, because they would clear the field by mistake. */

import { existsSync } from 'node:fs';
import { isList, splitList } from '../../api/contract/comma-list.ts';
import type { Field } from '../../api/contract/field.ts';
import { parseTyped, type TypedContext, type TypedValue } from '../../api/contract/typed-text.ts';
import { flagName, type ParseResult, parseValue } from '../../api/contract/value-text.ts';
import { readBoundedFileSync } from '../../base/bounded-read.ts';
import { decodeTextFile } from '../../base/decode-text.ts';
import { Failure } from '../../base/errors.ts';
import { canBeCleared } from '../context/kinds.ts';

/** Parses the values of a flag. List flags may be repeated; for other flags, commander keeps only the last value. */
export function parseFlagValues(
  name: string,
  field: Field,
  values: readonly string[],
  flag = flagName(name),
  context: TypedContext = {},
): TypedValue {
  if (values.some((value) => isEmpty(field, value))) {
    const advice = flag === flagName(name) ? clearAdvice(name, field) : '';
    return { problem: `--${flag} is empty, perhaps from an unset variable${advice}` };
  }
  const results = values.map((text) =>
    text.startsWith('@') ? parseReference(field, text) : parseFlagText(field, text, context),
  );
  const failed = results.find(({ problem }) => problem !== undefined);
  if (failed) return { problem: `--${flag} ${failed.problem}` };
  const [firstResult = { value: undefined }, ...moreResults] = results;
  return moreResults.length === 0 ? firstResult : { value: results.flatMap(({ value }) => value) };
}

/** Parses a value as in a form. A phone number without its calling code stays as it is written. */
function parseFlagText(field: Field, text: string, context: TypedContext): TypedValue {
  const typed = parseTyped(field, text, context);
  if (field.kind === 'ring' && typed.problem === undefined) return closedRing(typed.value);
  return field.traits.form === 'phone' && typed.otherFields === undefined ? parseValue(field, text) : typed;
}

/** Parses a value that starts with @: for a border the name of a GeoJSON file, for other fields a lookup. */
function parseReference(field: Field, text: string): ParseResult {
  if (field.kind !== 'ring') return parseValue(field, text);
  const border = parseBorder(text);
  if ('problem' in border) return border;
  const { value, problem } = parseValue(field, border.text);
  return problem === undefined ? closedRing(value) : { problem };
}

function isEmpty(field: Field, text: string): boolean {
  return text === '' || (isList(field) && splitList(text).length === 0);
}

/** Returns the end of a message that explains how to clear a field. */
function clearAdvice(name: string, field: Field): string {
  if (canBeCleared(field)) return `; to clear the field, use --clear ${flagName(name)}`;
  const canBeEmptyText = field.kind === 'text' && !field.traits.required;
  const text = canBeEmptyText ? `; to send empty text, use --data '{"${name}":""}'` : '';
  return `; this field can't be cleared${text}`;
}

/** Returns a border whose last corner is its first one, as the API requires. */
export function closedRing(value: unknown): { value: unknown; display?: string } {
  const isOpen =
    Array.isArray(value) &&
    value.length > 2 &&
    String(value[0]) !== String(value.at(-1)) &&
    value.every(Array.isArray);
  return isOpen ? { value: [...value, value[0]], display: `closed, ${value.length + 1} points` } : { value };
}

/** A border as JSON with its description, or the problem with it. */
export type Border = { text: string; display?: string } | { problem: string };

/** Parses a border from a user: JSON, or the name of a GeoJSON file, whose first border is used. */
export function parseBorder(input: string, home?: string): Border {
  const path = resolvePath(input, home);
  if (input.startsWith('[') || input === '') return { text: input };
  if (!/\.(geo)?json$/i.test(path)) {
    return { problem: 'must be JSON, or the name of a GeoJSON file such as zone.geojson' };
  }
  if (!existsSync(path)) return { problem: `can't be read: file ${path} not found` };
  try {
    const ring = findRing(JSON.parse(decodeTextFile(readBoundedFileSync(path), path)));
    if (!ring) return { problem: `can't be read: ${path} contains no border` };
    return { text: JSON.stringify(ring), display: `a border of ${ring.length} points` };
  } catch (error) {
    const reason = error instanceof Failure ? error.message.replace(/\.$/, '') : `${path} isn't GeoJSON`;
    return { problem: `can't be read: ${reason}` };
  }
}

/** Returns the path of a file that the user entered or dragged into the terminal: in quotes, or with escaped spaces. */
function resolvePath(input: string, home: string | undefined): string {
  const unquoted = input.replace(/^@/, '').replace(/^(['"])(.*)\1$/, '$2');
  const path = existsSync(unquoted) ? unquoted : unquoted.replaceAll('\\ ', ' ');
  return home === undefined ? path : path.replace(/^~(?=\/)/, home);
}

/** Returns the outer ring of the first area in a GeoJSON value, without heights. */
export function findRing(value: unknown): number[][] | undefined {
  if (Array.isArray(value)) {
    if (value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'number')) {
      return value.map((pair) => pair.slice(0, 2));
    }
    return findRing(value[0]);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { features, geometry, geometries, coordinates } = value as Record<string, unknown>;
  return findRing(
    (Array.isArray(features) ? features[0] : undefined) ?? geometry ?? geometries ?? coordinates,
  );
}
