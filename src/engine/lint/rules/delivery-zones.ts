/** Rules for delivery zones: invalid borders and overlaps. */

import { recordTitle } from '../../../account/session/record-key.ts';
import { boundsOf, parseArea } from '../../areas/area.ts';
import { idsIn } from '../account.ts';
import { issue, type Rule } from '../rule.ts';

/** Smaller overlaps, as a share of the smaller zone, are usual for borders that were drawn by hand. */
const minOverlapShare = 0.01;

/** Zones of one business are usually closer to each other, in degrees. */
const maxZoneDegrees = 5;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Returns the border of a square. */
const square = (west: number, south: number, size = 0.1) => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];

export const deliveryZoneRules: readonly Rule[] = [
  {
    name: 'zone-border-invalid',
    severity: 'error',
    summary: "Delivery zones whose border doesn't close, crosses itself or is out of range",
    reason: "The service can't decide which addresses are inside.",
    checks: { delivery_zones: ['coordinates'] },
    checkRecord({ coordinates }) {
      if (coordinates === undefined || coordinates === null) return undefined;
      const { problems } = parseArea(coordinates);
      return problems.length === 0
        ? undefined
        : issue(`The zone ${problems.join(', and ')}.`, 'update', '--coordinates', 'JSON');
    },
    bad: [{ name: 'North', coordinates: square(46.6, 24.7).slice(0, 4) }],
    good: { coordinates: square(46.6, 24.7) },
  },
  {
    name: 'zone-latitude-first',
    severity: 'warning',
    summary: 'Delivery zones whose border has latitude before longitude',
    reason: 'The zone is in another country, so that no address of its branch is inside.',
    checks: { delivery_zones: ['name', 'coordinates'] },
    checkAll: ({ resource, account }) => {
      const zones = account.rows(resource.name).flatMap((row) => {
        const { rings } = parseArea(row.coordinates);
        if (rings.length === 0) return [];
        const [west, south, east, north] = boundsOf(rings);
        return [{ row, center: [(west + east) / 2, (south + north) / 2] as const }];
      });
      return zones.flatMap(({ row, center: [x, y] }) => {
        const others = zones.filter((zone) => zone.row !== row).map(({ center }) => center);
        const [nearX, nearY] = [median(others.map(([x]) => x)), median(others.map(([, y]) => y))];
        const isNear = (a: number, b: number) => Math.hypot(a - nearX, b - nearY) < maxZoneDegrees;
        if (others.length === 0 || isNear(x, y) || !isNear(y, x)) return [];
        const message = 'The border has latitude before longitude: the other zones are elsewhere.';
        return [[row, issue(message, 'update', '--coordinates', 'JSON')] as const];
      });
    },
    bad: [
      { name: 'North', coordinates: square(46.6, 24.7) },
      { name: 'South', coordinates: square(46.6, 24.5) },
      { name: 'East', coordinates: square(24.7, 46.65) },
    ],
    good: { coordinates: square(46.7, 24.7) },
  },
  {
    name: 'zones-overlap',
    severity: 'warning',
    summary: 'Delivery zones of different branches that overlap',
    reason: 'It is undefined which branch gets an order from the shared area.',
    checks: { delivery_zones: ['name', 'coordinates', 'branches'] },
    async *checkAll({ resource, account }) {
      const { withoutCrossings, sharedPolygons, areaKm2 } = await import('../../areas/zone-map.ts');
      const zones = account.rows(resource.name).map((row) => {
        const { rings, isSimple } = parseArea(row.coordinates);
        const polygons = rings.length === 0 ? [] : isSimple ? [rings] : withoutCrossings(rings);
        return { row, polygons, km2: areaKm2(polygons), branches: idsIn(row.branches) };
      });
      for (const [index, zone] of zones.entries())
        for (const otherZone of zones.slice(0, index)) {
          if (zone.branches.some((branch) => otherZone.branches.includes(branch))) continue;
          const share =
            areaKm2(sharedPolygons(zone.polygons, otherZone.polygons)) / Math.min(zone.km2, otherZone.km2);
          if (!(share >= minOverlapShare)) continue;
          const percent = Math.round(share * 100);
          const message = `Overlaps ${recordTitle(resource, otherZone.row)} (${otherZone.row.id}) by ${percent}% of the smaller zone.`;
          yield [
            zone.row,
            { message, part: String(otherZone.row.id), fix: ['update', '--coordinates', 'JSON'] },
          ];
        }
    },
    bad: [
      { name: 'North', coordinates: square(46.6, 24.7), branches: [{ id: 'branch-riverside' }] },
      { name: 'East', coordinates: square(46.65, 24.7), branches: [{ id: 'branch-airport' }] },
    ],
    good: { coordinates: square(46.7, 24.7) },
  },
];
