/** Creates rings and zones for tests of maps. */
import type { Position, Ring } from '../../src/engine/areas/area.ts';
import { fc } from '../harness/fast-check.ts';
import { repetitions } from '../harness/repetitions.ts';

/** The number of runs of a property test. */
export const runs = { numRuns: repetitions(200) };

/** Generates convex rings with corners in degrees. */
export const convexRing = fc
  .record({
    x: fc.double({ min: -170, max: 170, noNaN: true }),
    y: fc.double({ min: -60, max: 60, noNaN: true }),
    radius: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
    corners: fc.integer({ min: 3, max: 12 }),
    turn: fc.double({ min: 0, max: 6, noNaN: true }),
  })
  .map(
    ({ x, y, radius, corners, turn }): Ring =>
      Array.from({ length: corners }, (_, index) => {
        const angle = turn + (2 * Math.PI * index) / corners;
        return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
      }),
  );

/** Returns a ring with its first position repeated at the end. */
export const closeRing = (ring: Ring): Position[] => [...ring, ring[0] as Position];
/** Returns a closed square; `x` and `y` are its south-west corner. */
export const square = (x: number, y: number, size = 1): Position[] =>
  closeRing([
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
  ]);
/** Returns the center of a ring: the mean of its corners. */
export const centerOf = (ring: Ring): Position => [
  ring.reduce((sum, [x]) => sum + x, 0) / ring.length,
  ring.reduce((sum, [, y]) => sum + y, 0) / ring.length,
];
/** Returns the record of a zone whose name is its ID. */
export const zone = (id: string, border: unknown, branches: string[] = []) => ({
  id,
  name: id,
  reference: null,
  branches,
  border,
});
