/** Runs the JMESPath expressions of `--query` on results. Numbers are never rounded: what can't be computed exactly is refused. */
import { Failure, usage } from '../base/errors.ts';
import { describeInexactness, ExactNumber, parseExactJson } from '../base/number-text.ts';

type Search = (value: unknown) => unknown;

/** Compiles a JMESPath expression. Loads the library when it is called, because few commands need it. Throws a usage failure. */
export async function compileQuery(expression: string): Promise<(value: unknown) => unknown> {
  const { compile, registerFunction, TreeInterpreter, TYPE_ANY } = await import(
    '@jmespath-community/jmespath'
  );
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw usage(`Invalid --query: ${cause instanceof Error ? cause.message : String(cause)}`, {
        hint: 'Write JMESPath, for example "[].name".',
        cause,
      });
    }
  };
  const compiled = attempt(() => compile(expression));
  attempt(() => refuseInexactLiterals(expression));
  const override = { override: true };
  registerFunction('to_number', ([value]) => toNumber(value), [{ types: [TYPE_ANY] }], override);
  // The library's type for JSON has no readonly arrays.
  const search = (value: unknown) => TreeInterpreter.search(compiled, value as never);
  const isNumeric = numericPattern.test(JSON.stringify(compiled));
  return (value) => attempt(() => searchExactly(search, value, isNumeric));
}

/** Matches the syntax tree of an expression that computes numbers. */
const numericPattern = /"type":"(Arithmetic|Unary)"|"name":"(abs|avg|ceil|floor|sum)"/;

/** Matches quoted text, and literals between backticks. */
const tokenPattern = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`((?:\\.|[^`\\])*)`/gs;

/** Refuses numbers of the expression that the library has rounded. */
function refuseInexactLiterals(expression: string): void {
  for (const [, literal] of expression.matchAll(tokenPattern)) {
    const value = literal === undefined ? null : parseExactJson(literal.replaceAll('\\`', '`'));
    mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? refuse(leaf) : leaf));
  }
}

/** Converts text as the function of JMESPath does: null for text that isn't a number. */
function toNumber(value: unknown): number | null {
  if (typeof value === 'string' && describeInexactness(value) !== undefined) refuse(value);
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && !Number.isNaN(number) ? number : null;
}

function refuse(number: unknown): never {
  throw usage(`--query can't compute exactly with ${String(number)}: it has too many digits.`, {
    hint: 'A query can select such numbers, and compare them with numbers that differ in the first 15 digits.',
  });
}

/**
 * Queries a value that may contain numbers with more digits than a double (see `base/number-text.ts`). The query runs
 * twice, with doubles below and above these numbers: if the result depends on their last digits, it differs.
 */
function searchExactly(search: Search, value: unknown, isNumeric: boolean): unknown {
  const plainNumbers = new Set<unknown>();
  const counts = new Map<number, number>();
  // The steps to the stand-ins: numbers with the same double are in another order below it than above it.
  const steps = new Map<string, number>();
  mapLeaves(value, (leaf) => {
    if (typeof leaf === 'number' && isUnsafeInteger(leaf)) plainNumbers.add(leaf);
    if (!(leaf instanceof ExactNumber) || steps.has(String(leaf))) return;
    const count = (counts.get(Number(leaf)) ?? 0) + 1;
    counts.set(Number(leaf), count);
    steps.set(String(leaf), count);
  });
  const replaceExact = (replace: (number: ExactNumber) => unknown) =>
    mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? replace(leaf) : leaf));
  const searchWith = (direction: number) => {
    const numbers = new Map<unknown, ExactNumber>();
    const input = replaceExact((number) => {
      const double = neighborOf(Number(number), direction * (steps.get(String(number)) ?? 0));
      numbers.set(double, number);
      return double;
    });
    return mapLeaves(search(input), (leaf) => {
      const isRounded = typeof leaf === 'number' && isUnsafeInteger(leaf);
      const number = numbers.get(leaf) ?? leaf;
      return isRounded && number === leaf && !plainNumbers.has(leaf) ? refuse(leaf) : number;
    });
  };
  const [exactNumber] = steps.keys();
  if (exactNumber === undefined) return searchWith(0);
  // A sum may hide the difference; text in place of the numbers can't be added.
  if (isNumeric && !succeeds(() => search(replaceExact(String)))) refuse(exactNumber);
  const [below, above] = [searchWith(-1), searchWith(1)];
  return JSON.stringify(below) === JSON.stringify(above) ? below : refuse(exactNumber);
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Returns whether several integers have this double. */
function isUnsafeInteger(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

/** Returns a finite double that is at least `count` doubles above a number, or below it. */
function neighborOf(number: number, count: number): number {
  const nearest = Math.max(-1e308, Math.min(number, 1e308));
  return nearest + count * Math.max(Math.abs(nearest) * Number.EPSILON, Number.MIN_VALUE);
}

function mapLeaves(value: unknown, transform: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, transform));
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return transform(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapLeaves(inner, transform)]),
  );
}
