/** Describes a map of zones in words, for users who can't see the drawing. */

import { boundsOf, type Position } from '../../../engine/areas/area.ts';
import type { Zone, ZoneMap } from '../../../engine/areas/zone-map.ts';
import { shortenName } from '../page.ts';

/** The minimum size of an overlap or gap to report, in square kilometers: one hectare. Smaller ones are slivers between borders. */
const minNotableKm2 = 0.01;

/** Returns sentences that describe the map: the point, the zones, then overlaps and gaps. */
export function describeMap(map: ZoneMap): string[] {
  const { zones, point } = map;
  if (zones.length === 0) return ['No delivery zones.'];
  return [...(point ? [describePoint(point)] : []), ...zones.flatMap(describeZone), ...describeOverlaps(map)];
}

/** Returns a sentence such as "24.71° N, 46.67° E is in Old Town and City Center." */
export function describePoint({ position, zones }: NonNullable<ZoneMap['point']>): string {
  const positionText = formatPosition(position);
  return zones.length === 0
    ? `${positionText} is in no zone.`
    : `${positionText} is in ${joinWords(zones.map(({ name }) => shortenName(name)))}.`;
}

/** Returns sentences about overlaps and gaps, the largest first, and the number of slivers. */
export function describeOverlaps({ zones, overlaps, gaps }: ZoneMap): string[] {
  const largeOverlaps = overlaps.filter(({ km2 }) => km2 >= minNotableKm2);
  const largeGaps = gaps.filter(({ km2 }) => km2 >= minNotableKm2);
  const sliverCount = overlaps.length + gaps.length - largeOverlaps.length - largeGaps.length;
  const lines = [
    ...largeOverlaps.map(({ zones: [a, b], km2, branches }) => {
      const sharedBy =
        branches.length > 0
          ? `; ${joinWords(branches.map(shortenName))} ${branches.length > 1 ? 'have' : 'has'} both`
          : '';
      return `${shortenName(a.name)} and ${shortenName(b.name)} overlap: ${formatArea(km2)}${formatShare(km2, a, b)}${sharedBy}.`;
    }),
    ...largeGaps.map(
      ({ km2, position }) =>
        `A gap between the zones: ${formatArea(km2)} around ${formatPosition(position)}.`,
    ),
    ...(sliverCount > 0
      ? [
          `Along borders there ${sliverCount === 1 ? 'is a sliver' : `are ${sliverCount} slivers`} of less than a hectare; -o json shows all.`,
        ]
      : []),
  ];
  const areaCount = zones.filter(({ km2 }) => km2 !== null).length;
  return lines.length === 0 && areaCount > 1
    ? ['No two zones overlap, and there is no gap between them.']
    : lines;
}

function formatShare(km2: number, a: Zone, b: Zone): string {
  const smaller = (a.km2 ?? 0) <= (b.km2 ?? 0) ? a : b;
  const percent = Math.round((100 * km2) / (smaller.km2 ?? km2));
  return percent >= 1 ? `, ${percent}% of ${shortenName(smaller.name)}` : '';
}

function describeZone({ name: fullName, reference, branches, km2, area }: Zone): string[] {
  const name = shortenName(fullName);
  const label = reference === null || reference === fullName ? name : `${name} (${shortenName(reference)})`;
  const problems = area.problems.map((problem) => `${name} ${problem}.`);
  if (km2 === null) return problems;
  const [west, south, east, north] = boundsOf(area.rings);
  const cornerCount = area.rings.reduce((sum, ring) => sum + ring.length, 0);
  const deliveries =
    branches.length > 0
      ? `${joinWords(branches.map(shortenName))} ${branches.length > 1 ? 'deliver' : 'delivers'} there.`
      : 'No branch delivers there.';
  return [
    `${label}: ${formatArea(km2)}, ${cornerCount} corners, from ${formatPosition([west, south])} to ${formatPosition([east, north])}. ${deliveries}`,
    ...problems,
  ];
}

/** Formats an area that is given in square kilometers: "1.25 km²", or in square meters if it is small. */
export function formatArea(km2: number): string {
  if (km2 < 0.01) return `${Math.round(km2 * 1e6).toLocaleString('en-US')} m²`;
  return `${km2.toLocaleString('en-US', { maximumSignificantDigits: km2 < 100 ? 3 : 6 })} km²`;
}

/** Formats a position with the latitude first: "24.71° N, 46.67° E". */
function formatPosition([longitude, latitude]: Position): string {
  const normalized = longitude - 360 * Math.round(longitude / 360);
  return `${formatAngle(latitude, 'N', 'S')}, ${formatAngle(normalized, 'E', 'W')}`;
}

function formatAngle(degrees: number, positive: string, negative: string): string {
  return `${Number(Math.abs(degrees).toFixed(5))}° ${degrees < 0 ? negative : positive}`;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
