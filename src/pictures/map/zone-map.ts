/** Combines delivery zones into one map: their sizes, overlaps and gaps, and the zones that contain a point. */

import { intersection, setPrecision, union } from 'polyclip-ts';
import { type Area, boundsOf, contains, type Position, type Ring, readArea } from './area.ts';

/** The fields of a zone's record. */
export interface ZoneRecord {
  id: string;
  name: string;
  reference: string | null;
  /** The names of the branches, or their ids if the names are unknown. */
  branches: readonly string[];
  border: unknown;
}

/** A zone with its area. */
export interface Zone extends Omit<ZoneRecord, 'border'> {
  area: Area;
  /** The size in square kilometers; null if there is no area. */
  size: number | null;
}

/** The area that two zones share. */
export interface Overlap {
  zones: readonly [Zone, Zone];
  /** The size in square kilometers. */
  size: number;
  /** The branches that have both zones. If the list is empty, different branches deliver there. */
  branches: readonly string[];
  polygons: readonly Polygon[];
}

/** An area between zones that isn't part of any zone. */
export interface Gap {
  /** The size in square kilometers. */
  size: number;
  ring: Ring;
  /** A position inside the gap. */
  at: Position;
}

/** A map of zones. Overlaps and gaps are sorted by size, largest first. */
export interface ZoneMap {
  zones: readonly Zone[];
  overlaps: readonly Overlap[];
  gaps: readonly Gap[];
  /** The requested position and the zones that contain it. */
  point?: { at: Position; zones: readonly Zone[] } | undefined;
}

/** The minimum size of an area in square kilometers (10 square centimeters). Smaller areas are rounding errors. */
const minSize = 1e-9;

/** Returns the map of zones, with the zones that contain `point`. */
export function zoneMap(records: readonly ZoneRecord[], point?: Position): ZoneMap {
  const center = middleOf(records);
  const read = records.map(({ border, ...zone }) => {
    const area = readArea(border, center);
    const polygons = area.isSimple ? [area.rings] : withoutCrossings(area.rings);
    const measured = sizeOf(polygons);
    const size = measured < minSize ? null : measured;
    const isFlat = area.rings.length > 0 && size === null;
    return {
      zone: {
        ...zone,
        size,
        area: isFlat ? { ...area, rings: [], problems: [...area.problems, 'has no area'] } : area,
      },
      polygons: size === null ? [] : polygons,
    };
  });
  const zones = read.map(({ zone }) => zone);
  const overlaps = read.flatMap((one, index) =>
    read.slice(index + 1).flatMap((other): Overlap[] => {
      const polygons = sharedPolygons(one.polygons, other.polygons);
      const branches = one.zone.branches.filter((branch) => other.zone.branches.includes(branch));
      const size = sizeOf(polygons);
      return size >= minSize ? [{ zones: [one.zone, other.zone], size, branches, polygons }] : [];
    }),
  );
  const gaps = gapsBetween(read.map(({ polygons }) => polygons)).map((ring) => ({
    size: sizeOf([[ring]]),
    ring,
    at: pointInside(ring),
  }));
  return {
    zones,
    overlaps: overlaps.sort((a, b) => b.size - a.size),
    gaps: gaps.sort((a, b) => b.size - a.size),
    ...(point && { point: { at: point, zones: zones.filter(({ area }) => contains(area.rings, point)) } }),
  };
}

/** Returns the longitude that all areas are placed next to: the middle of the first area. */
function middleOf(records: readonly ZoneRecord[]): number | undefined {
  for (const { border } of records) {
    const { rings } = readArea(border);
    if (rings.length > 0) {
      const [west, , east] = boundsOf(rings);
      return (west + east) / 2;
    }
  }
  return undefined;
}

/** Returns a position inside a ring: the middle of its widest segment at its middle latitude. */
function pointInside(ring: Ring): Position {
  const [, south, , north] = boundsOf([ring]);
  const y = (south + north) / 2;
  const crossings = ring
    .flatMap(([ax, ay], index) => {
      const [bx, by] = ring[(index + 1) % ring.length] ?? [ax, ay];
      return ay > y !== by > y ? [ax + ((bx - ax) * (y - ay)) / (by - ay)] : [];
    })
    .sort((a, b) => a - b);
  const segments = crossings.flatMap((from, index) => {
    const to = crossings[index + 1];
    return index % 2 === 0 && to !== undefined ? [[from, to] as const] : [];
  });
  const [from = 0, to = 0] = segments.sort((a, b) => b[1] - b[0] - (a[1] - a[0]))[0] ?? [];
  return [(from + to) / 2, y];
}

type MultiPolygon = ReturnType<typeof union>;

/** The square of the mean radius of the Earth, in square kilometers. */
const squaredRadius = 6371.0088 ** 2;

// In degrees. Closer corners are merged. Without this, the library fails on some borders that cross themselves often.
setPrecision(1e-12);

/** An outline, then the holes that are cut out of it. */
type Polygon = readonly Ring[];

/** Returns the size of polygons on the sphere in square kilometers. */
export function sizeOf(polygons: readonly Polygon[]): number {
  return polygons.reduce((sum, polygon) => sum + polygonSize(polygon), 0);
}

/** Returns polygons that don't cross themselves. A part that is surrounded an even number of times is a hole. */
export function withoutCrossings(rings: Polygon): Polygon[] {
  return rings.length === 0 ? [] : withOpenRings(union(withClosedRings(rings)));
}

/** Returns the area that both contain. The list is empty if they only touch. */
export function sharedPolygons(one: readonly Polygon[], other: readonly Polygon[]): Polygon[] {
  if (one.length === 0 || other.length === 0 || !boundsIntersect(one, other)) return [];
  return withOpenRings(intersection(one.flatMap(withClosedRings), other.flatMap(withClosedRings)));
}

/** Returns the gaps between areas: parts that the areas together surround and that no area contains. */
export function gapsBetween(areas: readonly (readonly Polygon[])[]): Ring[] {
  const polygons = areas.flat().flatMap(withClosedRings);
  return polygons.length === 0 ? [] : withOpenRings(union(polygons)).flatMap(([, ...holes]) => holes);
}

function polygonSize([outline, ...holes]: Polygon): number {
  if (!outline) return 0;
  return holes.reduce((rest, hole) => rest - ringSize(hole), ringSize(outline));
}

/**
 * Returns the size of a ring: the integral of the sine of the latitude along the border. It is exact on the sphere for
 * edges that are straight in degrees, as in GeoJSON. The sign of the integral depends on the direction of the ring.
 */
function ringSize(ring: Ring): number {
  const sum = ring.reduce((total, [fromX, fromY], index) => {
    const [toX, toY] = ring[(index + 1) % ring.length] ?? [fromX, fromY];
    return total + radians(toX - fromX) * meanSine(radians(fromY), radians(toY));
  }, 0);
  return Math.abs(sum) * squaredRadius;
}

function meanSine(from: number, to: number): number {
  // If they are almost equal, rounding errors would determine the quotient.
  return Math.abs(to - from) < 1e-7
    ? Math.sin((from + to) / 2)
    : (Math.cos(from) - Math.cos(to)) / (to - from);
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function boundsIntersect(one: readonly Polygon[], other: readonly Polygon[]): boolean {
  const [a, b] = [boundsOf(one.flat()), boundsOf(other.flat())];
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function withClosedRings(rings: Polygon): MultiPolygon {
  return rings.length === 0 ? [] : [rings.map((ring) => [...ring, ring[0] as Position])];
}

function withOpenRings(polygons: MultiPolygon): Polygon[] {
  return polygons.map((rings) => rings.map((ring) => ring.slice(0, -1) as Position[]));
}
