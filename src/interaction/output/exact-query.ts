/**
 * A query over values that hold numbers beyond a double's digits (see `client/json-text.ts`): the library of queries
 * knows plain numbers only. Compared and added up as doubles, they come out as they came.
 */
import { ExactNumber, withPlainNumbers } from '../../number-text.ts';

type Search = (value: unknown) => unknown;

export function searchExactly(search: Search, value: unknown): unknown {
  const sources = new Map<number, ExactNumber | undefined>();
  const plain = mapped(value, (number) => {
    const double = Number(number);
    const other = sources.get(double);
    // Two that share a double can't be told apart by it.
    const isAlone = !sources.has(double) || String(other) === String(number);
    sources.set(double, isAlone ? number : undefined);
    return double;
  });
  if (sources.size === 0) return search(value);
  const found = search(plain);
  const passed = attempt(() => search(value));
  // Where the query only chooses, it gives the numbers themselves.
  const isChoice = JSON.stringify(withPlainNumbers(passed)) === JSON.stringify(found);
  return isChoice ? passed : restored(found, sources);
}

function restored(value: unknown, sources: ReadonlyMap<number, ExactNumber | undefined>): unknown {
  return walked(value, (leaf) => (typeof leaf === 'number' ? (sources.get(leaf) ?? leaf) : leaf));
}

function mapped(value: unknown, change: (number: ExactNumber) => unknown): unknown {
  return walked(value, (leaf) => (leaf instanceof ExactNumber ? change(leaf) : leaf));
}

function walked(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => walked(item, change));
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walked(inner, change)]));
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}
