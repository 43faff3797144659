/** Where areas lie over one another, and what they leave out between them. */
import { geoArea } from 'd3-geo';
import { intersection, setPrecision, union } from 'polyclip-ts';
import { boundsOf, type Position, type Ring } from './area.ts';

type MultiPolygon = ReturnType<typeof union>;

/** One and the same sphere as in every map: its mean radius. */
const squareKilometres = 6371.0088 ** 2;

/** Corners as near as this, in degrees, are one: without it, some tangles are more than the library can undo. */
setPrecision(1e-12);

/** Holes that are cut out of an outline. */
export type Polygon = readonly Ring[];

/** In square kilometres, on the sphere. */
export function sizeOf(polygons: readonly Polygon[]): number {
  return polygons.reduce((sum, polygon) => sum + polygonSize(polygon), 0);
}

/** The areas without anything twofold: what crosses itself counts where it is surrounded an odd number of times. */
export function cleaned(rings: Polygon): Polygon[] {
  return rings.length === 0 ? [] : opened(union(closed(rings)));
}

/** What both hold; none where they only touch. */
export function shared(one: readonly Polygon[], other: readonly Polygon[]): Polygon[] {
  if (one.length === 0 || other.length === 0 || !meet(one, other)) return [];
  return opened(intersection(one.flatMap(closed), other.flatMap(closed)));
}

/** What all of them together surround and none of them holds. */
export function gapsBetween(areas: readonly (readonly Polygon[])[]): Ring[] {
  const all = areas.flat().flatMap(closed);
  return all.length === 0 ? [] : opened(union(all)).flatMap(([, ...holes]) => holes);
}

function polygonSize([outline, ...holes]: Polygon): number {
  if (!outline) return 0;
  return holes.reduce((left, hole) => left - ringSize(hole), ringSize(outline));
}

/** A ring that runs the other way round would be the rest of the world. */
function ringSize(ring: Ring): number {
  const [first] = ring;
  if (!first) return 0;
  const area = geoArea({ type: 'Polygon', coordinates: [[...ring, first]] });
  return Math.min(area, 4 * Math.PI - area) * squareKilometres;
}

function meet(one: readonly Polygon[], other: readonly Polygon[]): boolean {
  const [a, b] = [boundsOf(one.flat()), boundsOf(other.flat())];
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function closed(rings: Polygon): MultiPolygon {
  return rings.length === 0 ? [] : [rings.map((ring) => [...ring, ring[0] as Position])];
}

function opened(polygons: MultiPolygon): Polygon[] {
  return polygons.map((rings) => rings.map((ring) => ring.slice(0, -1) as Position[]));
}
