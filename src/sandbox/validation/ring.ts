/** The border of a delivery zone: a closed ring of [longitude, latitude] pairs, or a single pair. */

type Pair = [longitude: number, latitude: number];

const fewestPairs = 4;

export function ringProblem(value: unknown): string | undefined {
  if (isPair(value)) return pairProblem(value);
  if (!Array.isArray(value)) return 'must be a closed ring of [longitude, latitude] pairs, or a single pair';
  if (!value.every(isPair)) return 'must hold pairs of numbers, [longitude, latitude]';
  const problem = value.map(pairProblem).find((found) => found !== undefined);
  if (problem) return problem;
  if (value.length < fewestPairs) return `must have at least ${fewestPairs} pairs`;
  const [first, last] = [value[0], value.at(-1)];
  return String(first) === String(last) ? undefined : 'must be closed: its last pair must repeat the first';
}

/** As answers show it. A single pair becomes a ring around no area. */
export function closedRing(value: unknown): unknown {
  return isPair(value) ? Array.from({ length: fewestPairs }, () => value) : value;
}

function isPair(value: unknown): value is Pair {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number');
}

function pairProblem([longitude, latitude]: Pair): string | undefined {
  if (Math.abs(longitude) > 180) return 'has a longitude outside -180 to 180';
  return Math.abs(latitude) > 90 ? 'has a latitude outside -90 to 90' : undefined;
}
