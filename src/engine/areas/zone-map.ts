/** Combines delivery zones into one map: their sizes, overlaps and gaps, and the zones that contain a point. */

import { intersection, setPrecision, union } from 'polyclip-ts';
import { type Area, boundsOf, containsPoint, type Position, parseArea, type Ring } from './area.ts';

/** The fields of a zone's record that the map needs. */
export interface ZoneRecord {
  id: string;
  name: string;
  reference: string | null;
  /** The names of the branches, or their IDs if the names are unknown. */
  branches: readonly string[];
  border: unknown;
}

export interface Zone extends Omit<ZoneRecord, 'border'> {
  area: Area;
  /** The size in square kilometers; null if there is no area. */
  km2: number | null;
}

/** The area that two zones share. */
export interface Overlap {
  zones: readonly [Zone, Zone];
  /** The size in square kilometers. */
  km2: number;
  /** The branches that have both zones. If the list is empty, different branches deliver there. */
  branches: readonly string[];
  polygons: readonly Polygon[];
}

/** An area between zones that isn't part of any zone. */
export interface Gap {
  /** The size in square kilometers. */
  km2: number;
  ring: Ring;
  /** A position inside the gap. */
  position: Position;
}

/** A map of zones. Overlaps and gaps are sorted by size, largest first. */
export interface ZoneMap {
  zones: readonly Zone[];
  overlaps: readonly Overlap[];
  gaps: readonly Gap[];
  /** The requested position and the zones that contain it. */
  point?: { position: Position; zones: readonly Zone[] } | undefined;
}

/** The minimum size of an area in square kilometers (10 square centimeters). Smaller areas are rounding errors. */
const minKm2 = 1e-9;

/** Returns the map of zones, with the zones that contain `point`. */
export function buildZoneMap(records: readonly ZoneRecord[], point?: Position): ZoneMap {
  const centerLongitude = middleOf(records);
  const zonesWithPolygons = records.map(({ border, ...zone }) => {
    const area = parseArea(border, centerLongitude);
    const polygons = area.isSimple ? [area.rings] : withoutCrossings(area.rings);
    const measuredKm2 = areaKm2(polygons);
    const km2 = measuredKm2 < minKm2 ? null : measuredKm2;
    const isFlat = area.rings.length > 0 && km2 === null;
    return {
      zone: {
        ...zone,
        km2,
        area: isFlat ? { ...area, rings: [], problems: [...area.problems, 'has no area'] } : area,
      },
      polygons: km2 === null ? [] : polygons,
    };
  });
  const zones = zonesWithPolygons.map(({ zone }) => zone);
  const overlaps = zonesWithPolygons.flatMap((a, index) =>
    zonesWithPolygons.slice(index + 1).flatMap((b): Overlap[] => {
      const polygons = sharedPolygons(a.polygons, b.polygons);
      const branches = a.zone.branches.filter((branch) => b.zone.branches.includes(branch));
      const km2 = areaKm2(polygons);
      return km2 >= minKm2 ? [{ zones: [a.zone, b.zone], km2, branches, polygons }] : [];
    }),
  );
  const gaps = gapsBetween(zonesWithPolygons.map(({ polygons }) => polygons)).map((ring) => ({
    km2: areaKm2([[ring]]),
    ring,
    position: pointInside(ring),
  }));
  return {
    zones,
    overlaps: overlaps.sort((a, b) => b.km2 - a.km2),
    gaps: gaps.sort((a, b) => b.km2 - a.km2),
    ...(point && {
      point: { position: point, zones: zones.filter(({ area }) => containsPoint(area.rings, point)) },
    }),
  };
}

/** Returns the longitude that all areas are placed next to: the middle of the first area. */
function middleOf(records: readonly ZoneRecord[]): number | undefined {
  for (const { border } of records) {
    const { rings } = parseArea(border);
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
const squaredEarthRadiusKm2 = 6371.0088 ** 2;

// In degrees: closer corners are merged. Without this, the library fails on some borders that cross themselves often.
setPrecision(1e-12);

/** An outline, then the holes that are cut out of it. */
type Polygon = readonly Ring[];

/** Returns the size of polygons on the sphere in square kilometers. */
export function areaKm2(polygons: readonly Polygon[]): number {
  return polygons.reduce((sum, polygon) => sum + polygonKm2(polygon), 0);
}

/** Returns polygons that don't cross themselves. A part that is surrounded an even number of times is a hole. */
export function withoutCrossings(rings: Polygon): Polygon[] {
  return rings.length === 0 ? [] : withOpenRings(union(withClosedRings(rings)));
}

/** Returns the polygons of the area that both have in common. The list is empty if they only touch. */
export function sharedPolygons(a: readonly Polygon[], b: readonly Polygon[]): Polygon[] {
  if (a.length === 0 || b.length === 0 || !doBoundsIntersect(a, b)) return [];
  return withOpenRings(intersection(a.flatMap(withClosedRings), b.flatMap(withClosedRings)));
}

/** Returns the gaps between areas: parts that the areas together surround and that no area contains. */
export function gapsBetween(areas: readonly (readonly Polygon[])[]): Ring[] {
  const polygons = areas.flat().flatMap(withClosedRings);
  return polygons.length === 0 ? [] : withOpenRings(union(polygons)).flatMap(([, ...holes]) => holes);
}

function polygonKm2([outline, ...holes]: Polygon): number {
  if (!outline) return 0;
  return holes.reduce((remainingKm2, hole) => remainingKm2 - ringKm2(hole), ringKm2(outline));
}

/**
 * Returns the size of a ring: the integral of the sine of the latitude along the border. It is exact on the sphere for
 * edges that are straight in degrees, as in GeoJSON. The sign of the integral depends on the direction of the ring.
 */
function ringKm2(ring: Ring): number {
  const sum = ring.reduce((total, [fromX, fromY], index) => {
    const [toX, toY] = ring[(index + 1) % ring.length] ?? [fromX, fromY];
    return total + radians(toX - fromX) * meanSine(radians(fromY), radians(toY));
  }, 0);
  return Math.abs(sum) * squaredEarthRadiusKm2;
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

function doBoundsIntersect(a: readonly Polygon[], b: readonly Polygon[]): boolean {
  const [aWest, aSouth, aEast, aNorth] = boundsOf(a.flat());
  const [bWest, bSouth, bEast, bNorth] = boundsOf(b.flat());
  return aWest < bEast && bWest < aEast && aSouth < bNorth && bSouth < aNorth;
}

function withClosedRings(rings: Polygon): MultiPolygon {
  return rings.length === 0 ? [] : [rings.map((ring) => [...ring, ring[0] as Position])];
}

function withOpenRings(polygons: MultiPolygon): Polygon[] {
  return polygons.map((rings) => rings.map((ring) => ring.slice(0, -1) as Position[]));
}
