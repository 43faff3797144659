/** Areas as one map: what each is, where two lie over one another, what is left between them, who holds a point. */

import { intersection, setPrecision, union } from 'polyclip-ts';
import { type Area, boundsOf, contains, type Position, type Ring, readArea } from './area.ts';

/** What the records say. */
export interface GivenZone {
  id: string;
  name: string;
  reference: string | null;
  /** Names, or ids where those aren’t known. */
  branches: readonly string[];
  border: unknown;
}

export interface Zone extends Omit<GivenZone, 'border'> {
  area: Area;
  /** In square kilometres; null where there is no area. */
  size: number | null;
}

export interface Overlap {
  zones: readonly [Zone, Zone];
  /** In square kilometres. */
  size: number;
  /** Branches that have both zones; where there is none, different branches deliver there. */
  branches: readonly string[];
  polygons: readonly Polygon[];
}

export interface Gap {
  size: number;
  ring: Ring;
  /** Somewhere within it. */
  at: Position;
}

export interface ZoneMap {
  zones: readonly Zone[];
  overlaps: readonly Overlap[];
  gaps: readonly Gap[];
  /** What was asked for, and the zones that hold it. */
  point?: { at: Position; zones: readonly Zone[] } | undefined;
}

/** In square kilometres, a few square centimetres: less is made of rounding. */
const least = 1e-9;

export function zoneMap(given: readonly GivenZone[], point?: Position): ZoneMap {
  const near = middleOf(given);
  const read = given.map(({ border, ...zone }) => {
    const area = readArea(border, near);
    const found = area.isSimple ? [area.rings] : cleaned(area.rings);
    const measured = sizeOf(found);
    const size = measured < least ? null : measured;
    const isFlat = area.rings.length > 0 && size === null;
    return {
      zone: {
        ...zone,
        size,
        area: isFlat ? { ...area, rings: [], problems: [...area.problems, 'surrounds nothing'] } : area,
      },
      polygons: size === null ? [] : found,
    };
  });
  const zones = read.map(({ zone }) => zone);
  const overlaps = read.flatMap((one, index) =>
    read.slice(index + 1).flatMap((other): Overlap[] => {
      const polygons = shared(one.polygons, other.polygons);
      const branches = one.zone.branches.filter((branch) => other.zone.branches.includes(branch));
      const size = sizeOf(polygons);
      return size >= least ? [{ zones: [one.zone, other.zone], size, branches, polygons }] : [];
    }),
  );
  const gaps = gapsBetween(read.map(({ polygons }) => polygons)).map((ring) => ({
    size: sizeOf([[ring]]),
    ring,
    at: within(ring),
  }));
  return {
    zones,
    overlaps: overlaps.sort((a, b) => b.size - a.size),
    gaps: gaps.sort((a, b) => b.size - a.size),
    ...(point && { point: { at: point, zones: zones.filter(({ area }) => contains(area.rings, point)) } }),
  };
}

/** The longitude that the others are counted from: that of the first area there is. */
function middleOf(given: readonly GivenZone[]): number | undefined {
  for (const { border } of given) {
    const { rings } = readArea(border);
    if (rings.length > 0) {
      const [west, , east] = boundsOf(rings);
      return (west + east) / 2;
    }
  }
  return undefined;
}

/** A position inside of a ring: half way along the widest stretch of it at the height of its middle. */
function within(ring: Ring): Position {
  const [, south, , north] = boundsOf([ring]);
  const y = (south + north) / 2;
  const crossings = ring
    .flatMap(([ax, ay], index) => {
      const [bx, by] = ring[(index + 1) % ring.length] ?? [ax, ay];
      return ay > y !== by > y ? [ax + ((bx - ax) * (y - ay)) / (by - ay)] : [];
    })
    .sort((a, b) => a - b);
  const stretches = crossings.flatMap((from, index) => {
    const to = crossings[index + 1];
    return index % 2 === 0 && to !== undefined ? [[from, to] as const] : [];
  });
  const [from = 0, to = 0] = stretches.sort((a, b) => b[1] - b[0] - (a[1] - a[0]))[0] ?? [];
  return [(from + to) / 2, y];
}

/** Where areas lie over one another, and what they leave out between them. */
type MultiPolygon = ReturnType<typeof union>;

/** One and the same sphere as in every map: its mean radius. */
const squareKilometres = 6371.0088 ** 2;

/** Corners as near as this, in degrees, are one: without it, some tangles are more than the library can undo. */
setPrecision(1e-12);

/** Holes that are cut out of an outline. */
type Polygon = readonly Ring[];

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
