/** Runs the JMESPath expressions of `--query` on results. */
import { usage } from '../base/errors.ts';
import { ExactNumber, withPlainNumbers } from '../base/number-text.ts';

type Search = (value: unknown) => unknown;

/** Compiles a JMESPath expression. Loads the library when it is called, because few commands need it. Throws a usage failure. */
export async function compileQuery(expression: string): Promise<(value: unknown) => unknown> {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath');
  const queryFailure = (cause: unknown) =>
    usage(`Invalid --query: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'Write JMESPath, for example "[].name".',
      cause,
    });
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (cause) {
      throw queryFailure(cause);
    }
  };
  const compiled = attempt(() => compile(expression));
  // The library's type for JSON has no readonly arrays.
  const search = (value: unknown) => TreeInterpreter.search(compiled, value as never);
  return (value) => attempt(() => searchExactly(search, value));
}

/**
 * Queries a value that may contain numbers with more digits than a double (see `base/number-text.ts`). The library
 * compares and adds them as doubles. Numbers that are only selected keep their digits.
 */
function searchExactly(search: Search, value: unknown): unknown {
  const sources = new Map<number, ExactNumber | undefined>();
  const plainValue = mapExactNumbers(value, (number) => {
    const double = Number(number);
    const previous = sources.get(double);
    // If two numbers have the same double, they can't be restored.
    const isUnique = !sources.has(double) || String(previous) === String(number);
    sources.set(double, isUnique ? number : undefined);
    return double;
  });
  if (sources.size === 0) return search(value);
  const plainResult = search(plainValue);
  const exactResult = attempt(() => search(value));
  // A query that only selects returns the exact numbers.
  const isSelection = JSON.stringify(withPlainNumbers(exactResult)) === JSON.stringify(plainResult);
  return isSelection ? exactResult : restoreNumbers(plainResult, sources);
}

function restoreNumbers(value: unknown, sources: ReadonlyMap<number, ExactNumber | undefined>): unknown {
  return mapLeaves(value, (leaf) => (typeof leaf === 'number' ? (sources.get(leaf) ?? leaf) : leaf));
}

function mapExactNumbers(value: unknown, transform: (number: ExactNumber) => unknown): unknown {
  return mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? transform(leaf) : leaf));
}

function mapLeaves(value: unknown, transform: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, transform));
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return transform(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapLeaves(inner, transform)]),
  );
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}
