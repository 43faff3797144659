/** The borders of the demo's delivery zones: the city center in the middle and a zone for each of eight directions around it. */
import type { RandomGenerator } from '../../base/random.ts';

/** A point on the map, in degrees. */
export type Pair = [longitude: number, latitude: number];

/** One zone: its closed border, and a point inside it. */
export interface ZoneShape {
  coordinates: Pair[];
  inside: Pair;
}

/** The middle of the city, in degrees. */
const middle = { longitude: 46.6753, latitude: 24.7136 };

const directions = 8;
const cornersInZone = 4;
const corners = directions * cornersInZone;

/** Returns the center first, then the zones clockwise from north; neighbors share their borders. */
export function deliveryZoneShapes(chance: RandomGenerator): ZoneShape[] {
  const ringAt = (metres: number, spread: number) =>
    Array.from({ length: corners }, (_, corner) =>
      pointAt((corner - cornersInZone / 2) / corners, metres + chance.between(-spread, spread)),
    );
  const [inner, outer] = [ringAt(2500, 300), ringAt(8000, 1200)];
  const side = (ring: Pair[], index: number) =>
    Array.from({ length: cornersInZone + 1 }, (_, place) => ring[(index * cornersInZone + place) % corners]);
  const around = Array.from({ length: directions }, (_, index): ZoneShape => {
    const border = [...side(outer, index), ...side(inner, index).reverse()] as Pair[];
    return { coordinates: closed(border), inside: pointAt(index / directions, 5000) };
  });
  return [{ coordinates: closed(inner), inside: [middle.longitude, middle.latitude] }, ...around];
}

/** A distance from the middle, in a direction given as a part of the whole circle, clockwise from north. */
function pointAt(direction: number, metres: number): Pair {
  const angle = direction * 2 * Math.PI;
  const metresInDegree = 111_320;
  const latitude = middle.latitude + (Math.cos(angle) * metres) / metresInDegree;
  const wide = metresInDegree * Math.cos((middle.latitude * Math.PI) / 180);
  return [rounded(middle.longitude + (Math.sin(angle) * metres) / wide), rounded(latitude)];
}

function closed(ring: Pair[]): Pair[] {
  return [...ring, ...ring.slice(0, 1)];
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
