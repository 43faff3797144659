import { geoContains } from 'd3-geo';
import { describe, expect, it } from 'vitest';
import { describeMap } from '../../src/cli/pictures/map/describe-map.ts';
import { drawMap } from '../../src/cli/pictures/map/draw-map.ts';
import { containsPoint, type Position, parseArea } from '../../src/engine/areas/area.ts';
import { areaKm2, buildZoneMap, withoutCrossings } from '../../src/engine/areas/zone-map.ts';
import { fc } from '../harness/fast-check.ts';
import { centerOf, closeRing, convexRing, runs, square, zone } from './rings.ts';

describe('parseArea', () => {
  it('reads a closed ring with the longitude first', () => {
    expect(parseArea(square(46, 24))).toEqual({
      rings: [square(46, 24).slice(0, 4)],
      isSimple: true,
      problems: [],
    });
  });

  it.each([
    [null, 'has no border'],
    ['46,24', "has a border that isn't a ring of [longitude, latitude] pairs"],
    [[46.67, 24.7], 'has fewer than three corners'],
    [square(46, 24).slice(0, 2), 'has fewer than three corners'],
    [square(46, 24).slice(0, 4), "isn't closed: its last position doesn't repeat its first"],
    [square(46, 24).map(([x, y]) => [y, x * 2.1]), 'seems to have latitude before longitude'],
    [square(179.5, 24), 'has coordinates out of range'],
    [
      [
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ],
      'crosses itself',
    ],
  ])('%j: reports that it %s', (border, problem) => {
    expect(parseArea(border).problems).toContain(problem);
  });

  it('draws the map whatever a border contains', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (border) => {
        const map = buildZoneMap([zone('a', border), zone('b', square(0, 0))], [0.5, 0.5]);
        expect(describeMap(map).join()).toContain('b');
        drawMap(map, { width: 40, color: false });
      }),
      runs,
    );
  });
});

describe('containsPoint', () => {
  it('agrees with d3 for convex areas everywhere', () => {
    fc.assert(
      fc.property(convexRing, fc.double({ min: -3, max: 3, noNaN: true }), (ring, distance) => {
        const [x, y] = centerOf(ring);
        const [cx, cy] = ring[0] as Position;
        // Tests points on the line from the center through a corner. Near the border, the sphere and the plane may differ.
        fc.pre(Math.abs(Math.abs(distance) - 1) > 0.2 && Math.abs(distance) > 0.01);
        const point: Position = [x + (cx - x) * distance, y + (cy - y) * distance];
        const isInside = geoContains(
          { type: 'Polygon', coordinates: [closeRing([...ring].reverse())] },
          point,
        );
        fc.pre(distance > 0 || ring.length % 2 === 0);
        expect(containsPoint(parseArea(closeRing(ring)).rings, point)).toBe(isInside);
      }),
      runs,
    );
  });

  it('ignores the first corner and the direction of the ring, and whole turns of the longitude', () => {
    fc.assert(
      fc.property(
        convexRing,
        fc.nat(11),
        fc.boolean(),
        fc.constantFrom(-360, 0, 360),
        (ring, shift, isReversed, turn) => {
          const start = shift % ring.length;
          const rotatedRing = [...ring.slice(start), ...ring.slice(0, start)];
          const sameArea = closeRing(isReversed ? rotatedRing.reverse() : rotatedRing);
          const [x, y] = centerOf(ring);
          expect(containsPoint(parseArea(sameArea).rings, [x + turn, y])).toBe(true);
          expect(containsPoint(parseArea(sameArea).rings, [x + turn, y + 2])).toBe(false);
        },
      ),
      runs,
    );
  });

  it('finds points across the antimeridian from both sides', () => {
    const ring: Position[] = closeRing([
      [179, -1],
      [-179, -1],
      [-179, 1],
      [179, 1],
    ]);
    const { rings, problems } = parseArea(ring);
    expect(problems).toEqual([]);
    for (const point of [
      [179.5, 0],
      [-179.5, 0],
      [180, 0],
      [-180, 0],
    ] as Position[]) {
      expect(containsPoint(rings, point)).toBe(true);
    }
    for (const point of [
      [178.5, 0],
      [-178.5, 0],
      [0, 0],
    ] as Position[])
      expect(containsPoint(rings, point)).toBe(false);
    expect(areaKm2([rings])).toBeCloseTo(
      areaKm2([
        parseArea(
          closeRing([
            [0, -1],
            [2, -1],
            [2, 1],
            [0, 1],
          ]),
        ).rings,
      ]),
      6,
    );
  });

  it('excludes holes, and includes a zone inside a hole', () => {
    const { rings } = parseArea([square(0, 0, 10), square(2, 2, 6)]);
    expect(containsPoint(rings, [1, 1])).toBe(true);
    expect(containsPoint(rings, [5, 5])).toBe(false);
    expect(areaKm2([rings])).toBeLessThan(areaKm2([[square(0, 0, 10)]]));
    const map = buildZoneMap(
      [zone('outer', [square(0, 0, 10), square(2, 2, 6)]), zone('inner', square(3, 3, 2))],
      [4, 4],
    );
    expect(map.point?.zones.map(({ id }) => id)).toEqual(['inner']);
    expect(map.overlaps).toEqual([]);
  });

  it('a border that crosses itself: includes points that are surrounded an odd number of times', () => {
    const bow: Position[] = [
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 2],
      [0, 0],
    ];
    const { rings } = parseArea(bow);
    expect(containsPoint(rings, [1.8, 1])).toBe(true);
    expect(containsPoint(rings, [1, 1.8])).toBe(false);
    expect(areaKm2(withoutCrossings(rings))).toBeCloseTo(areaKm2([[square(0, 0, 2)]]) / 2, -3);
  });
});
