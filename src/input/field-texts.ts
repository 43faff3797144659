/** Reads the values of a field's flag. An empty text is refused: it would empty the field by mistake. */

import { existsSync, readFileSync } from 'node:fs';
import { canBeCleared } from '../context/kinds.ts';
import type { Field } from '../contract/field.ts';
import { isList, splitList } from '../contract/list-text.ts';
import { flagName, type Read, readText } from '../contract/text.ts';

/** Reads the texts of a flag. A list flag may be repeated; of other flags commander keeps the last text. */
export function readTexts(name: string, field: Field, texts: readonly string[], flag = flagName(name)): Read {
  if (texts.some((text) => isEmpty(field, text))) {
    const how = flag === flagName(name) ? howToEmpty(name, field) : '';
    return { problem: `--${flag} is empty, as a variable that is not set would be${how}` };
  }
  const reads = texts.map((text) => (text.startsWith('@') ? readSaid(field, text) : readText(field, text)));
  const failed = reads.find(({ problem }) => problem !== undefined);
  if (failed) return { problem: `--${flag} ${failed.problem}` };
  const [only = { value: undefined }, ...others] = reads;
  return others.length === 0 ? only : { value: reads.flatMap(({ value }) => value) };
}

/** Reads a text that starts with @: a GeoJSON file for a border, the text itself for other fields. */
function readSaid(field: Field, text: string): Read {
  if (field.kind !== 'ring') return readText(field, text);
  const border = borderIn(text);
  return 'problem' in border ? border : readText(field, border.text);
}

function isEmpty(field: Field, text: string): boolean {
  return text === '' || (isList(field) && splitList(text).length === 0);
}

/** Says how to empty a field: an empty flag may also be a shell variable that isn't set. */
function howToEmpty(name: string, field: Field): string {
  if (canBeCleared(field)) return `; --clear ${flagName(name)} empties the field`;
  const isText = field.kind === 'text' && !field.traits.required;
  const text = isText ? `; an empty text is sent with --data '{"${name}":""}'` : '';
  return `, and it is no field that --clear can empty${text}`;
}

/** A border as JSON and in words, or what is wrong with it. */
export type Border = { text: string; shown?: string } | { problem: string };

/** Reads a border that was typed: JSON, or the name of a GeoJSON file, of which the first border is taken. */
export function borderIn(typed: string, home?: string): Border {
  const path = fileIn(typed, home);
  if (typed.startsWith('[') || typed === '') return { text: typed };
  if (!/\.(geo)?json$/i.test(path)) {
    return { problem: 'must be JSON, or the name of a GeoJSON file such as zone.geojson' };
  }
  if (!existsSync(path)) return { problem: `can’t be read: there is no file ${path}` };
  try {
    const ring = ringIn(JSON.parse(readFileSync(path, 'utf8')));
    if (!ring) return { problem: `can’t be read: ${path} holds no border` };
    return { text: JSON.stringify(ring), shown: `a border of ${ring.length} points` };
  } catch {
    return { problem: `can’t be read: ${path} is no GeoJSON` };
  }
}
/** Returns the path of a file as typed or as dragged into the terminal: in quotes, or with escaped spaces. */
/** As it is typed, or as it comes from a window that it is dragged out of: in quotes, or with `\\` before its blanks. */
function fileIn(typed: string, home: string | undefined): string {
  const bare = typed.replace(/^@/, '').replace(/^(['"])(.*)\1$/, '$2');
  const path = existsSync(bare) ? bare : bare.replaceAll('\\ ', ' ');
  return home === undefined ? path : path.replace(/^~(?=\/)/, home);
}

/** Returns the outer ring of the first area in a GeoJSON value, without heights. */
export function ringIn(value: unknown): number[][] | undefined {
  if (Array.isArray(value)) {
    if (value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'number')) {
      return value.map((pair) => pair.slice(0, 2));
    }
    return ringIn(value[0]);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { features, geometry, geometries, coordinates } = value as Record<string, unknown>;
  return ringIn((Array.isArray(features) ? features[0] : undefined) ?? geometry ?? geometries ?? coordinates);
}
