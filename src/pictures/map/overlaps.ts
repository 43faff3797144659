/** Where areas lie over one another, and what they leave out between them. */
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

/**
 * The integral of the sine of the latitude along the border: exact on the sphere for edges that are straight on the map
 * of degrees, as GeoJSON has them. Its sign says which way the ring runs.
 */
function ringSize(ring: Ring): number {
  const sum = ring.reduce((before, [fromX, fromY], index) => {
    const [toX, toY] = ring[(index + 1) % ring.length] ?? [fromX, fromY];
    return before + radians(toX - fromX) * meanSine(radians(fromY), radians(toY));
  }, 0);
  return Math.abs(sum) * squareKilometres;
}

function meanSine(from: number, to: number): number {
  // Where they are nearly one, the quotient would be made of rounding.
  return Math.abs(to - from) < 1e-7
    ? Math.sin((from + to) / 2)
    : (Math.cos(from) - Math.cos(to)) / (to - from);
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
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
