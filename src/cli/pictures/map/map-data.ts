/** Writes a map of zones as GeoJSON (RFC 7946) and as records. */
import type { Position, Ring } from '../../../engine/areas/area.ts';
import type { Zone, ZoneMap } from '../../../engine/areas/zone-map.ts';

/** Returns a GeoJSON feature collection. It also contains `overlaps`, `gaps` and `point`, which map programs ignore. */
export function toGeoJson({ zones, overlaps, gaps, point }: ZoneMap): object {
  return {
    type: 'FeatureCollection',
    features: zones.map((zone) => ({
      type: 'Feature',
      id: zone.id,
      properties: propertiesOf(zone),
      geometry: geometryOf(zone),
    })),
    overlaps: overlaps.map(({ zones: [a, b], km2, branches, polygons }) => ({
      zones: [a.id, b.id],
      area_km2: roundSize(km2),
      branches,
      geometry: { type: 'MultiPolygon', coordinates: polygons.map((rings) => rings.map(closeRing)) },
    })),
    gaps: gaps.map(({ km2, position, ring }) => ({
      area_km2: roundSize(km2),
      at: position.map(roundDegrees),
      geometry: { type: 'Polygon', coordinates: [closeRing(ring)] },
    })),
    ...(point && { point: { coordinates: point.position, zones: point.zones.map(({ id }) => id) } }),
  };
}

/** Returns one flat record for each zone, for formats that show records. */
export function zoneRows({ zones, overlaps, point }: ZoneMap): object[] {
  return zones.map((zone) => ({
    id: zone.id,
    ...propertiesOf(zone),
    overlaps: overlaps.flatMap(({ zones: pair }) =>
      pair.includes(zone) ? pair.filter((other) => other !== zone).map(({ id }) => id) : [],
    ),
    ...(point && { holds_point: point.zones.includes(zone) }),
  }));
}

function propertiesOf({ name, reference, branches, km2, area }: Zone): object {
  return {
    name,
    reference,
    branches,
    area_km2: km2 === null ? null : roundSize(km2),
    problems: area.problems,
  };
}

function geometryOf({ area: { rings } }: Zone): object | null {
  return rings.length === 0 ? null : { type: 'Polygon', coordinates: rings.map(closeRing) };
}

function closeRing(ring: Ring): Position[] {
  return [...ring, ...ring.slice(0, 1)].map(([x, y]): Position => [roundDegrees(x), roundDegrees(y)]);
}

/** Rounds to 1e-9 degrees, a tenth of a millimeter. */
function roundDegrees(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** Rounds square kilometers to a square meter. */
function roundSize(km2: number): number {
  return Math.round(km2 * 1e6) / 1e6;
}
