import { geoArea } from 'd3-geo';
import { describe, expect, it } from 'vitest';
import { describeMap } from '../../src/cli/pictures/map/describe-map.ts';
import { drawMap, renderMapSvg } from '../../src/cli/pictures/map/draw-map.ts';
import { toGeoJson } from '../../src/cli/pictures/map/map-data.ts';
import { type Position, parseArea } from '../../src/engine/areas/area.ts';
import {
  areaKm2,
  buildZoneMap,
  gapsBetween,
  sharedPolygons,
  withoutCrossings,
} from '../../src/engine/areas/zone-map.ts';
import { fc } from '../harness/fast-check.ts';
import { closeRing, convexRing, runs, square, zone } from './rings.ts';

describe('overlaps of rings that cross themselves and each other', () => {
  const crossingRings = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), {
    minLength: 3,
    maxLength: 9,
  });

  it('are at most as large as the smaller area; the overlap with a copy is the whole area', () => {
    fc.assert(
      fc.property(crossingRings, crossingRings, (firstBorder, secondBorder) => {
        const { zones, overlaps } = buildZoneMap([
          zone('a', firstBorder),
          zone('copy', firstBorder),
          zone('b', secondBorder),
        ]);
        const [a, , b] = zones.map(({ km2 }) => km2 ?? 0) as [number, number, number];
        const [ownOverlap, ...otherOverlaps] = overlaps.toSorted((x, y) => y.km2 - x.km2);
        expect(ownOverlap?.km2 ?? 0).toBeCloseTo(a, 3);
        for (const { km2 } of otherOverlaps) expect(km2).toBeLessThanOrEqual(Math.min(a, b) * (1 + 1e-6));
      }),
      runs,
    );
  });
});

describe('areaKm2', () => {
  // Edges of d3 are the shortest lines on the sphere, ours straight ones on the map of degrees.
  it('agrees with d3 on the sphere for small areas', () => {
    fc.assert(
      fc.property(convexRing, (ring) => {
        const spherical = geoArea({ type: 'Polygon', coordinates: [closeRing([...ring].reverse())] });
        expect(areaKm2([[ring]]) / (spherical * 6371.0088 ** 2)).toBeCloseTo(1, 2);
      }),
      runs,
    );
  });

  it('a line there and back: has no size, which is reported as a problem', () => {
    const [zoneOf] = buildZoneMap([
      zone('a', [
        [0, 3],
        [3, 3],
        [1, 3],
        [0, 3],
      ]),
    ]).zones;
    expect(zoneOf).toMatchObject({ km2: null, area: { problems: ['has no area'] } });
  });
});

describe('two areas', () => {
  it('share the same area in either order, at most the smaller one', () => {
    fc.assert(
      fc.property(convexRing, fc.double({ min: -0.4, max: 0.4, noNaN: true }), (ring, distance) => {
        const ringArea = withoutCrossings(parseArea(closeRing(ring)).rings);
        const otherRingArea = withoutCrossings(
          parseArea(closeRing(ring.map(([x, y]): Position => [x + distance, y]))).rings,
        );
        const sharedArea = areaKm2(sharedPolygons(ringArea, otherRingArea));
        expect(sharedArea).toBeCloseTo(areaKm2(sharedPolygons(otherRingArea, ringArea)), 4);
        expect(sharedArea).toBeLessThanOrEqual(
          Math.min(areaKm2(ringArea), areaKm2(otherRingArea)) * (1 + 1e-6),
        );
        expect(areaKm2(sharedPolygons(ringArea, ringArea))).toBeCloseTo(areaKm2(ringArea), 4);
      }),
      runs,
    );
  });

  it('that only touch: share nothing and leave no gap', () => {
    const map = buildZoneMap([zone('a', square(0, 0)), zone('b', square(1, 0))]);
    expect(map.overlaps).toEqual([]);
    expect(map.gaps).toEqual([]);
    expect(describeMap(map).at(-1)).toBe('No two zones overlap, and there is no gap between them.');
  });

  it('overlap across the antimeridian, with longitudes of either side', () => {
    const map = buildZoneMap([
      zone(
        'a',
        closeRing([
          [179, 0],
          [-179.5, 0],
          [-179.5, 1],
          [179, 1],
        ]),
      ),
      zone(
        'b',
        closeRing([
          [-180, 0],
          [-179, 0],
          [-179, 1],
          [-180, 1],
        ]),
      ),
    ]);
    expect(map.overlaps).toHaveLength(1);
    expect(map.overlaps[0]?.km2).toBeCloseTo(areaKm2([[square(0, 0, 0.5)]]) * 2, -2);
  });
});

describe('a gap', () => {
  it('is an area that zones surround and none of them contains', () => {
    const around = [
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 1],
      [2, 1],
      [0, 2],
      [1, 2],
      [2, 2],
    ] as Position[];
    const map = buildZoneMap(around.map(([x, y], index) => zone(`z${index}`, square(x, y))));
    expect(map.gaps).toHaveLength(1);
    expect(map.gaps[0]?.position).toEqual([1.5, 1.5]);
    expect(map.gaps[0]?.km2).toBeCloseTo(areaKm2([[square(1, 1)]]), 3);
    expect(describeMap(map).join('\n')).toContain('A gap between the zones');
  });

  it('is absent if a zone fills it, or if there are no zones', () => {
    expect(gapsBetween([])).toEqual([]);
    const filled = buildZoneMap([
      zone('outer', [square(0, 0, 3), square(1, 1)]),
      zone('inner', square(1, 1)),
    ]);
    expect(filled.gaps).toEqual([]);
  });
});

describe('drawMap', () => {
  const map = buildZoneMap(
    [zone('a', square(46, 24)), zone('b', square(46.5, 24.5)), zone('none', null)],
    [46.2, 24.2],
  );

  it('stays within its width and has a letter for each area', () => {
    for (const width of [10, 40, 80, 200]) {
      const lines = drawMap(map, { width, color: false });
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(lines.join('')).toMatch(/A[\s\S]*B|B[\s\S]*A/);
      expect(lines.join('')).toContain('✕');
    }
  });

  it('renderMapSvg: shows the names of zones, escaped for HTML', () => {
    const mapWithMarkup = buildZoneMap([zone('<script>alert(1)</script>', square(0, 0))]);
    expect(renderMapSvg(mapWithMarkup)).not.toContain('<script>');
    expect(renderMapSvg(mapWithMarkup)).toContain('&#60;script&#62;');
  });

  it('toGeoJson: closes rings, puts the longitude first, and has null for a zone without a border', () => {
    const collection = toGeoJson(map) as { features: { geometry: { coordinates: Position[][] } | null }[] };
    const [firstRing] = collection.features[0]?.geometry?.coordinates ?? [];
    expect(firstRing).toEqual(square(46, 24));
    expect(collection.features[2]?.geometry).toBeNull();
    expect(collection).toMatchObject({ point: { zones: ['a'] }, overlaps: [{ zones: ['a', 'b'] }] });
  });
});
