/** Describes a map of zones in words, for users who can't see the drawing. */
import { shortName } from '../labels.ts';
import type { Position } from './area.ts';
import { boundsOf } from './area.ts';
import type { Zone, ZoneMap } from './zone-map.ts';

/** The minimum size of an overlap or gap to report, in square kilometers: one hectare. Smaller ones are slivers between borders. */
const minNotableSize = 0.01;

/** Returns the map as sentences: the point, the zones, then overlaps and gaps. */
export function mapWords(map: ZoneMap): string[] {
  const { zones, point } = map;
  if (zones.length === 0) return ['No delivery zones.'];
  return [...(point ? [pointWords(point)] : []), ...zones.flatMap(zoneWords), ...overlapWords(map)];
}

/** Returns a sentence such as "24.71° N, 46.67° E is in Old Town and City Center." */
export function pointWords({ at, zones }: NonNullable<ZoneMap['point']>): string {
  const place = placeWords(at);
  return zones.length === 0
    ? `${place} is in no zone.`
    : `${place} is in ${listed(zones.map(({ name }) => shortName(name)))}.`;
}

/** Returns sentences about overlaps and gaps, the largest first, and the number of slivers. */
export function overlapWords({ zones, overlaps, gaps }: ZoneMap): string[] {
  const largeOverlaps = overlaps.filter(({ size }) => size >= minNotableSize);
  const largeGaps = gaps.filter(({ size }) => size >= minNotableSize);
  const sliverCount = overlaps.length + gaps.length - largeOverlaps.length - largeGaps.length;
  const lines = [
    ...largeOverlaps.map(({ zones: [one, other], size, branches }) => {
      const sharedBy =
        branches.length > 0
          ? `; ${listed(branches.map(shortName))} ${branches.length > 1 ? 'have' : 'has'} both`
          : '';
      return `${shortName(one.name)} and ${shortName(other.name)} overlap: ${sizeWords(size)}${shareWords(size, one, other)}${sharedBy}.`;
    }),
    ...largeGaps.map(
      ({ size, at }) => `A gap between the zones: ${sizeWords(size)} around ${placeWords(at)}.`,
    ),
    ...(sliverCount > 0
      ? [
          `Along borders there ${sliverCount === 1 ? 'is a sliver' : `are ${sliverCount} slivers`} of less than a hectare; -o json shows all.`,
        ]
      : []),
  ];
  const areas = zones.filter(({ size }) => size !== null).length;
  return lines.length === 0 && areas > 1
    ? ['No two zones overlap, and there is no gap between them.']
    : lines;
}

function shareWords(size: number, one: Zone, other: Zone): string {
  const [smaller] = [one, other].sort((a, b) => (a.size ?? 0) - (b.size ?? 0));
  const percent = Math.round((100 * size) / (smaller?.size ?? size));
  return percent >= 1 ? `, ${percent}% of ${shortName(smaller?.name ?? '')}` : '';
}

function zoneWords({ name: fullName, reference, branches, size, area }: Zone): string[] {
  const name = shortName(fullName);
  const label = reference === null || reference === fullName ? name : `${name} (${shortName(reference)})`;
  const problems = area.problems.map((problem) => `${name} ${problem}.`);
  if (size === null) return problems;
  const [west, south, east, north] = boundsOf(area.rings);
  const corners = area.rings.reduce((sum, ring) => sum + ring.length, 0);
  const deliveries =
    branches.length > 0
      ? `${listed(branches.map(shortName))} ${branches.length > 1 ? 'deliver' : 'delivers'} there.`
      : 'No branch delivers there.';
  return [
    `${label}: ${sizeWords(size)}, ${corners} corners, from ${placeWords([west, south])} to ${placeWords([east, north])}. ${deliveries}`,
    ...problems,
  ];
}

/** Returns a size, given in square kilometers, in words. */
export function sizeWords(size: number): string {
  if (size < 0.01) return `${Math.round(size * 1e6).toLocaleString('en-US')} m²`;
  return `${size.toLocaleString('en-US', { maximumSignificantDigits: size < 100 ? 3 : 6 })} km²`;
}

/** Returns a position in words, with the latitude first. */
function placeWords([longitude, latitude]: Position): string {
  const normalized = longitude - 360 * Math.round(longitude / 360);
  return `${angle(latitude, 'N', 'S')}, ${angle(normalized, 'E', 'W')}`;
}

function angle(degrees: number, positive: string, negative: string): string {
  return `${Number(Math.abs(degrees).toFixed(5))}° ${degrees < 0 ? negative : positive}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
