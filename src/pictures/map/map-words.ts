/** A map of areas in words: all that the drawing shows, for whoever doesn’t see it. */
import { shortName } from '../labels.ts';
import type { Position } from './area.ts';
import { boundsOf } from './area.ts';
import type { Zone, ZoneMap } from './zone-map.ts';

/** Borders that were drawn along one another differ by slivers; what is smaller than this is one (a hundred metres squared). */
const sliver = 0.01;

export function mapWords(map: ZoneMap): string[] {
  const { zones, point } = map;
  if (zones.length === 0) return ['There is no delivery zone.'];
  return [...(point ? [pointWords(point)] : []), ...zones.flatMap(zoneWords), ...meetingWords(map)];
}

/** “24.71 N, 46.67 E lies in Old Town and City Centre.” */
export function pointWords({ at, zones }: NonNullable<ZoneMap['point']>): string {
  const where = placeWords(at);
  return zones.length === 0
    ? `${where} lies in no zone.`
    : `${where} lies in ${listed(zones.map(({ name }) => shortName(name)))}.`;
}

/** Overlaps and gaps, the largest first, and how many slivers there are. */
export function meetingWords({ zones, overlaps, gaps }: ZoneMap): string[] {
  const large = overlaps.filter(({ size }) => size >= sliver);
  const wide = gaps.filter(({ size }) => size >= sliver);
  const small = overlaps.length + gaps.length - large.length - wide.length;
  const lines = [
    ...large.map(({ zones: [one, other], size, branches }) => {
      const whose =
        branches.length > 0
          ? `; ${listed(branches.map(shortName))} ${branches.length > 1 ? 'have' : 'has'} both`
          : '';
      return `${shortName(one.name)} and ${shortName(other.name)} overlap: ${sizeWords(size)}${shareWords(size, one, other)}${whose}.`;
    }),
    ...wide.map(({ size, at }) => `A gap between the zones: ${sizeWords(size)} around ${placeWords(at)}.`),
    ...(small > 0
      ? [
          `Along borders there ${small === 1 ? 'is a sliver' : `are ${small} slivers`} of less than a hectare; -o json has all.`,
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

function zoneWords({ name: whole, reference, branches, size, area }: Zone): string[] {
  const name = shortName(whole);
  const label = reference === null || reference === whole ? name : `${name} (${shortName(reference)})`;
  const problems = area.problems.map((problem) => `${name} ${problem}.`);
  if (size === null) return problems;
  const [west, south, east, north] = boundsOf(area.rings);
  const corners = area.rings.reduce((sum, ring) => sum + ring.length, 0);
  const whose =
    branches.length > 0 ? `Delivered to by ${listed(branches.map(shortName))}.` : 'No branch delivers there.';
  return [
    `${label}: ${sizeWords(size)}, ${corners} corners, from ${placeWords([west, south])} to ${placeWords([east, north])}. ${whose}`,
    ...problems,
  ];
}

export function sizeWords(size: number): string {
  if (size < 0.01) return `${Math.round(size * 1e6).toLocaleString('en-US')} m²`;
  return `${size.toLocaleString('en-US', { maximumSignificantDigits: size < 100 ? 3 : 6 })} km²`;
}

/** Latitude first, as people say it. */
function placeWords([longitude, latitude]: Position): string {
  const turned = longitude - 360 * Math.round(longitude / 360);
  return `${angle(latitude, 'N', 'S')}, ${angle(turned, 'E', 'W')}`;
}

function angle(degrees: number, positive: string, negative: string): string {
  return `${Number(Math.abs(degrees).toFixed(5))}° ${degrees < 0 ? negative : positive}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
