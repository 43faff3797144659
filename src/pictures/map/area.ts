/** Reads the border of an area from a record as rings in one plane, with all problems of the border. */

/** [longitude, latitude] in degrees, as in the API's "Delivery Zone". */
export type Position = [longitude: number, latitude: number];

/** The corners of a ring. The first position isn't repeated at the end. */
export type Ring = readonly Position[];

/** The border of an area. */
export interface Area {
  /** The outline, then holes; empty if there is no area. Longitudes continue beyond 180 if it crosses the antimeridian. */
  readonly rings: readonly Ring[];
  /** Whether it is one ring that doesn't cross itself. */
  readonly isSimple: boolean;
  /** Sentences without a subject: "has no border". */
  readonly problems: readonly string[];
}

/**
 * Reads a closed ring, the rings of a polygon (its outline and its holes), or a single pair. The area is moved by whole
 * turns of 360 degrees to be next to the longitude `near`, so that neighbors are side by side.
 */
export function readArea(value: unknown, near?: number): Area {
  if (value === null || value === undefined)
    return { rings: [], isSimple: false, problems: ['has no border'] };
  const given = isPosition(value) ? [[value]] : isRing(value) ? [value] : isRings(value) ? value : undefined;
  if (!given)
    return {
      rings: [],
      isSimple: false,
      problems: ["has a border that isn't a ring of [longitude, latitude] pairs"],
    };
  const read = given.map((ring) => readRing(ring));
  const outside = read.flatMap(({ problems }) => problems);
  const [outline, ...holes] = read.map(({ ring }) => unwrapped(ring));
  const isArea = outline !== undefined && outline.length > 2;
  const rings = isArea ? [outline, ...holes.filter(({ length }) => length > 2)] : [];
  const crossing = rings.some(crossesItself) ? ['crosses itself'] : [];
  const problems = [...new Set([...outside, ...(isArea ? crossing : ['has fewer than three corners'])])];
  const isSimple = rings.length === 1 && crossing.length === 0;
  return { rings: moved(rings, near), isSimple, problems };
}

/** Returns the bounds of rings in degrees: west, south, east, north. */
export function boundsOf(rings: readonly Ring[]): [number, number, number, number] {
  const all = rings.flat();
  const longitudes = all.map(([longitude]) => longitude);
  const latitudes = all.map(([, latitude]) => latitude);
  return [
    smallest(longitudes),
    smallest(latitudes),
    -smallest(longitudes.map((it) => -it)),
    -smallest(latitudes.map((it) => -it)),
  ];
}

function smallest(numbers: readonly number[]): number {
  return numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
}

/** Returns whether a point is in the area: inside an odd number of rings. Edges are straight in degrees (RFC 7946, 3.1.1). */
export function contains(rings: readonly Ring[], [longitude, latitude]: Position): boolean {
  const [west] = boundsOf(rings);
  const turns = Math.ceil((west - longitude) / 360);
  // The longitude of the point may differ by whole turns. An area is less than 360 degrees wide.
  const at = longitude + 360 * turns;
  return rings.filter((ring) => isInside(ring, at, latitude)).length % 2 === 1;
}

function isInside(ring: Ring, x: number, y: number): boolean {
  let inside = false;
  for (const [[ax, ay], [bx, by]] of edges(ring)) {
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

function readRing(given: readonly Position[]): { ring: Ring; problems: string[] } {
  const [first, last] = [given[0], given.at(-1)];
  const isClosed = given.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const ring = (isClosed ? given.slice(0, -1) : given).filter(
    ([x, y], index, all) => index === 0 || x !== all[index - 1]?.[0] || y !== all[index - 1]?.[1],
  );
  const isTurned = given.some(([, y]) => Math.abs(y) > 90) && given.every(([x]) => Math.abs(x) <= 90);
  const problems = [
    ...(isClosed || given.length < 3 ? [] : ["isn't closed: its last position doesn't repeat its first"]),
    ...(isTurned ? ['seems to have latitude before longitude'] : []),
    ...(!isTurned && given.some(([x, y]) => Math.abs(y) > 90 || Math.abs(x) > 180)
      ? ['has coordinates out of range']
      : []),
  ];
  return { ring, problems };
}

/** Moves each position next to the previous one: a step of more than 180 degrees crosses the antimeridian. */
function unwrapped(ring: Ring): Ring {
  let before = ring[0]?.[0] ?? 0;
  return ring.map(([x, y]) => {
    before = nearest(x, before);
    return [before, y];
  });
}

/** Moves the rings of an area by whole turns: holes into the outline, the outline near its neighbors. */
function moved(rings: readonly Ring[], near: number | undefined): readonly Ring[] {
  const [outline] = rings;
  if (!outline) return rings;
  const middle = middleOf(outline);
  const target = near === undefined ? middle : nearest(middle, near);
  return rings.map((ring, index) => {
    const own = index === 0 ? target - middle : nearest(middleOf(ring), target) - middleOf(ring);
    return own === 0 ? ring : ring.map(([x, y]): Position => [x + own, y]);
  });
}

function middleOf(ring: Ring): number {
  const [west, , east] = boundsOf([ring]);
  return (west + east) / 2;
}

function nearest(longitude: number, to: number): number {
  return longitude + 360 * Math.round((to - longitude) / 360);
}

/** Returns whether two edges meet elsewhere than at a corner that they share. */
function crossesItself(ring: Ring): boolean {
  const all = edges(ring);
  return all.some((a, i) =>
    all.some((b, j) => j > i + 1 && !(i === 0 && j === all.length - 1) && cross(a, b)),
  );
}

type Edge = readonly [Position, Position];

function edges(ring: Ring): Edge[] {
  return ring.map((from, index) => [from, ring[(index + 1) % ring.length] ?? from]);
}

function cross([a, b]: Edge, [c, d]: Edge): boolean {
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

function side([ax, ay]: Position, [bx, by]: Position, [cx, cy]: Position): number {
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
