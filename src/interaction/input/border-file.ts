/** The border of a zone as people have it: in a file of GeoJSON. */
import { existsSync, readFileSync } from 'node:fs';

/** JSON as the field takes it, and in words what was read. */
export type Border = { text: string; shown?: string } | { problem: string };

/** JSON, or the file that holds it: the first border of a GeoJSON. */
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

/** As it is typed, or as it comes from a window that it is dragged out of: in quotes, or with `\\` before its blanks. */
function fileIn(typed: string, home: string | undefined): string {
  const bare = typed.replace(/^@/, '').replace(/^(['"])(.*)\1$/, '$2');
  const path = existsSync(bare) ? bare : bare.replaceAll('\\ ', ' ');
  return home === undefined ? path : path.replace(/^~(?=\/)/, home);
}

/** The outer ring of the first area in a GeoJSON value; heights are left out. */
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
