/**
 * Computes the borders of the demo's delivery zones: the city center, and around it a zone for each of eight
 * directions.
 */
import type { RandomGenerator } from '../../base/random.ts';

/** A point on the map, in degrees. */
export type GeoPoint = [longitude: number, latitude: number];

/** The shape of a zone: its closed border, and a point in its center. */
export interface ZoneShape {
  coordinates: GeoPoint[];
  center: GeoPoint;
}

/** The center of the city, in degrees. */
const cityCenter = { longitude: 46.6753, latitude: 24.7136 };

const directionCount = 8;
const cornersInZone = 4;
const cornerCount = directionCount * cornersInZone;

/** Returns the central zone, then the other zones clockwise from north. Neighbors share their borders. */
export function deliveryZoneShapes(random: RandomGenerator): ZoneShape[] {
  const ringAt = (meters: number, spread: number) =>
    Array.from({ length: cornerCount }, (_, corner) =>
      pointAt((corner - cornersInZone / 2) / cornerCount, meters + random.between(-spread, spread)),
    );
  const [inner, outer] = [ringAt(2500, 300), ringAt(8000, 1200)];
  const edge = (ring: GeoPoint[], index: number) =>
    Array.from(
      { length: cornersInZone + 1 },
      (_, corner) => ring[(index * cornersInZone + corner) % cornerCount],
    );
  const outerZones = Array.from({ length: directionCount }, (_, index): ZoneShape => {
    const border = [...edge(outer, index), ...edge(inner, index).reverse()] as GeoPoint[];
    return { coordinates: closeRing(border), center: pointAt(index / directionCount, 5000) };
  });
  return [
    { coordinates: closeRing(inner), center: [cityCenter.longitude, cityCenter.latitude] },
    ...outerZones,
  ];
}

/** Returns the point at a distance from the city center. The direction is a fraction of a circle, clockwise from north. */
function pointAt(direction: number, meters: number): GeoPoint {
  const angle = direction * 2 * Math.PI;
  const metersPerDegree = 111_320;
  const latitude = cityCenter.latitude + (Math.cos(angle) * meters) / metersPerDegree;
  const metersPerLongitudeDegree = metersPerDegree * Math.cos((cityCenter.latitude * Math.PI) / 180);
  return [
    roundDegrees(cityCenter.longitude + (Math.sin(angle) * meters) / metersPerLongitudeDegree),
    roundDegrees(latitude),
  ];
}

function closeRing(ring: GeoPoint[]): GeoPoint[] {
  return [...ring, ...ring.slice(0, 1)];
}

function roundDegrees(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
