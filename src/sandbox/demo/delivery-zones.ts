/** The borders of the demo's delivery zones: the city center in the middle and a zone for each of eight directions around it. */
import type { RandomGenerator } from '../../base/random.ts';

/** A point on the map, in degrees. */
export type GeoPoint = [longitude: number, latitude: number];

/** One zone: its closed border, and a point inside it. */
export interface ZoneShape {
  coordinates: GeoPoint[];
  center: GeoPoint;
}

/** The middle of the city, in degrees. */
const cityCenter = { longitude: 46.6753, latitude: 24.7136 };

const directionCount = 8;
const cornersInZone = 4;
const cornerCount = directionCount * cornersInZone;

/** Returns the center first, then the zones clockwise from north; neighbors share their borders. */
export function deliveryZoneShapes(chance: RandomGenerator): ZoneShape[] {
  const ringAt = (meters: number, spread: number) =>
    Array.from({ length: cornerCount }, (_, corner) =>
      pointAt((corner - cornersInZone / 2) / cornerCount, meters + chance.between(-spread, spread)),
    );
  const [inner, outer] = [ringAt(2500, 300), ringAt(8000, 1200)];
  const edge = (ring: GeoPoint[], index: number) =>
    Array.from(
      { length: cornersInZone + 1 },
      (_, place) => ring[(index * cornersInZone + place) % cornerCount],
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

/** A distance from the middle, in a direction given as a part of the whole circle, clockwise from north. */
function pointAt(direction: number, metres: number): GeoPoint {
  const angle = direction * 2 * Math.PI;
  const metersPerDegree = 111_320;
  const latitude = cityCenter.latitude + (Math.cos(angle) * metres) / metersPerDegree;
  const metersPerLongitudeDegree = metersPerDegree * Math.cos((cityCenter.latitude * Math.PI) / 180);
  return [
    roundDegrees(cityCenter.longitude + (Math.sin(angle) * metres) / metersPerLongitudeDegree),
    roundDegrees(latitude),
  ];
}

function closeRing(ring: GeoPoint[]): GeoPoint[] {
  return [...ring, ...ring.slice(0, 1)];
}

function roundDegrees(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
