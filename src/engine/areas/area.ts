/** Parses the border of an area into rings on a plane, and reports all problems of the border. */

/** A position as [longitude, latitude] in degrees, as in the API's "Delivery Zone". */
export type Position = [longitude: number, latitude: number];

/** The corners of a ring. The first position isn't repeated at the end. */
export type Ring = readonly Position[];

/** The border of an area. */
export interface Area {
  /** The outline, then the holes. The list is empty if there is no area. Across the antimeridian longitudes continue beyond 180. */
  readonly rings: readonly Ring[];
  /** Whether the area is one ring that doesn't cross itself. */
  readonly isSimple: boolean;
  /** The problems as sentences without a subject: "has no border". */
  readonly problems: readonly string[];
}

/**
 * Parses a closed ring, the rings of a polygon (its outline and its holes), or a single pair. The area is moved by whole
 * turns of 360 degrees to be next to the longitude `near`, so that neighbors are side by side.
 */
export function parseArea(value: unknown, near?: number): Area {
  if (value === null || value === undefined)
    return { rings: [], isSimple: false, problems: ['has no border'] };
  const inputRings = isPosition(value)
    ? [[value]]
    : isRing(value)
      ? [value]
      : isRings(value)
        ? value
        : undefined;
  if (!inputRings)
    return {
      rings: [],
      isSimple: false,
      problems: ["has a border that isn't a ring of [longitude, latitude] pairs"],
    };
  const parsedRings = inputRings.map((ring) => parseRing(ring));
  const ringProblems = parsedRings.flatMap(({ problems }) => problems);
  const [outline, ...holes] = parsedRings.map(({ ring }) => withoutJumps(ring));
  const isArea = outline !== undefined && outline.length > 2;
  const rings = isArea ? [outline, ...holes.filter(({ length }) => length > 2)] : [];
  const crossingProblems = rings.some(isSelfCrossing) ? ['crosses itself'] : [];
  const problems = [
    ...new Set([...ringProblems, ...(isArea ? crossingProblems : ['has fewer than three corners'])]),
  ];
  const isSimple = rings.length === 1 && crossingProblems.length === 0;
  return { rings: moveRings(rings, near), isSimple, problems };
}

/** Returns the bounds of rings in degrees: west, south, east, north. */
export function boundsOf(rings: readonly Ring[]): [number, number, number, number] {
  const positions = rings.flat();
  const longitudes = positions.map(([longitude]) => longitude);
  const latitudes = positions.map(([, latitude]) => latitude);
  return [
    smallest(longitudes),
    smallest(latitudes),
    -smallest(longitudes.map((longitude) => -longitude)),
    -smallest(latitudes.map((latitude) => -latitude)),
  ];
}

function smallest(numbers: readonly number[]): number {
  return numbers.reduce((minimum, number) => Math.min(minimum, number), Number.POSITIVE_INFINITY);
}

/** Returns whether a point is in the area: inside an odd number of rings. Edges are straight in degrees (RFC 7946, 3.1.1). */
export function containsPoint(rings: readonly Ring[], [longitude, latitude]: Position): boolean {
  const [west] = boundsOf(rings);
  const turns = Math.ceil((west - longitude) / 360);
  // The longitude of the point may differ by whole turns. An area is less than 360 degrees wide.
  const shiftedLongitude = longitude + 360 * turns;
  return rings.filter((ring) => isInside(ring, shiftedLongitude, latitude)).length % 2 === 1;
}

function isInside(ring: Ring, x: number, y: number): boolean {
  let inside = false;
  for (const [[ax, ay], [bx, by]] of edges(ring)) {
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

function parseRing(positions: readonly Position[]): { ring: Ring; problems: string[] } {
  const [first, last] = [positions[0], positions.at(-1)];
  const isClosed = positions.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const ring = (isClosed ? positions.slice(0, -1) : positions).filter(
    ([x, y], index, all) => index === 0 || x !== all[index - 1]?.[0] || y !== all[index - 1]?.[1],
  );
  const isSwapped =
    positions.some(([, y]) => Math.abs(y) > 90) && positions.every(([x]) => Math.abs(x) <= 90);
  const problems = [
    ...(isClosed || positions.length < 3 ? [] : ["isn't closed: its last position doesn't repeat its first"]),
    ...(isSwapped ? ['seems to have latitude before longitude'] : []),
    ...(!isSwapped && positions.some(([x, y]) => Math.abs(y) > 90 || Math.abs(x) > 180)
      ? ['has coordinates out of range']
      : []),
  ];
  return { ring, problems };
}

/** Moves each position next to the previous one: a step of more than 180 degrees crosses the antimeridian. */
function withoutJumps(ring: Ring): Ring {
  let previous = ring[0]?.[0] ?? 0;
  return ring.map(([x, y]) => {
    previous = longitudeNear(x, previous);
    return [previous, y];
  });
}

/** Moves the rings of an area by whole turns: the outline next to the longitude `near`, and holes into the outline. */
function moveRings(rings: readonly Ring[], near: number | undefined): readonly Ring[] {
  const [outline] = rings;
  if (!outline) return rings;
  const middle = middleOf(outline);
  const target = near === undefined ? middle : longitudeNear(middle, near);
  return rings.map((ring, index) => {
    const shift = index === 0 ? target - middle : longitudeNear(middleOf(ring), target) - middleOf(ring);
    return shift === 0 ? ring : ring.map(([x, y]): Position => [x + shift, y]);
  });
}

function middleOf(ring: Ring): number {
  const [west, , east] = boundsOf([ring]);
  return (west + east) / 2;
}

function longitudeNear(longitude: number, target: number): number {
  return longitude + 360 * Math.round((target - longitude) / 360);
}

/** Returns whether two edges of a ring cross each other. Neighboring edges only share a corner. */
function isSelfCrossing(ring: Ring): boolean {
  const ringEdges = edges(ring);
  return ringEdges.some((a, i) =>
    ringEdges.some((b, j) => j > i + 1 && !(i === 0 && j === ringEdges.length - 1) && doEdgesCross(a, b)),
  );
}

type Edge = readonly [Position, Position];

function edges(ring: Ring): Edge[] {
  return ring.map((from, index) => [from, ring[(index + 1) % ring.length] ?? from]);
}

function doEdgesCross([a, b]: Edge, [c, d]: Edge): boolean {
  return sideOf(a, b, c) !== sideOf(a, b, d) && sideOf(c, d, a) !== sideOf(c, d, b);
}

function sideOf([ax, ay]: Position, [bx, by]: Position, [cx, cy]: Position): number {
  return Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
}

function isPosition(value: unknown): value is Position {
  return (
    Array.isArray(value) &&
    value.length >= 2 &&
    value.slice(0, 2).every((number) => typeof number === 'number' && Number.isFinite(number))
  );
}

function isRing(value: unknown): value is Position[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPosition);
}

function isRings(value: unknown): value is Position[][] {
  return Array.isArray(value) && value.length > 0 && value.every(isRing);
}
