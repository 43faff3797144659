/** Which records of two accounts are the same ones: by their natural keys, and without one by what they belong to. */
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import { formIn } from '../plan/wants.ts';

export interface ComparedRecord {
  row: Row;
  /** By field, see `comparedValue`. */
  values: ReadonlyMap<string, unknown>;
  /** All of the values as one text. */
  mark: string;
}

export interface PairedRecords {
  pairs: (readonly [ComparedRecord, ComparedRecord])[];
  /** Without a counterpart. */
  ours: ComparedRecord[];
  theirs: ComparedRecord[];
}

/** Beyond so many candidates, records with the same key are paired in the order of what they say. */
const mostCompared = 2500;

/**
 * Every record is in one pair, or without a counterpart. Records that share a key are paired with those that say the most
 * of the same. As everywhere a further key counts only where one of the two lacks those before it.
 */
export function pairRecords(
  resource: Resource,
  ours: readonly ComparedRecord[],
  theirs: readonly ComparedRecord[],
): PairedRecords {
  const left = { ours: new Set(ours), theirs: new Set(theirs) };
  const pairs: PairedRecords['pairs'] = [];
  const keys = resource.key.filter((name) => Object.hasOwn(resource.fields, name));
  const formOf = ({ row }: ComparedRecord, name: string) => formIn(row, name, resource);
  for (const [at, name] of keys.entries()) {
    const mayPair = (a: ComparedRecord, b: ComparedRecord) =>
      keys.slice(0, at).every((earlier) => formOf(a, earlier) === null || formOf(b, earlier) === null);
    pairWithin(left, pairs, (record) => formOf(record, name), mayPair);
  }
  const isKeyless = (record: ComparedRecord) => keys.every((name) => formOf(record, name) === null);
  pairWithin(
    left,
    pairs,
    (record) => (isKeyless(record) ? belonging(resource, record) : null),
    () => true,
  );
  return { pairs, ours: [...left.ours], theirs: [...left.theirs] };
}

/** What people call it, and the records that it belongs to. */
function belonging({ fields, title }: Resource, { values }: ComparedRecord): string {
  const names = Object.keys(fields).filter((name) => name === title || fields[name]?.kind === 'one');
  return JSON.stringify(names.map((name) => values.get(name) ?? null));
}

type MayPair = (a: ComparedRecord, b: ComparedRecord) => boolean;

function pairWithin(
  left: { ours: Set<ComparedRecord>; theirs: Set<ComparedRecord> },
  pairs: PairedRecords['pairs'],
  groupOf: (record: ComparedRecord) => string | null,
  mayPair: MayPair,
): void {
  const theirs = Map.groupBy(left.theirs, groupOf);
  for (const [group, some] of Map.groupBy(left.ours, groupOf)) {
    const others = group === null ? undefined : theirs.get(group);
    if (!others) continue;
    for (const pair of pairsAmong(some, others, mayPair)) {
      pairs.push(pair);
      left.ours.delete(pair[0]);
      left.theirs.delete(pair[1]);
    }
  }
}

function pairsAmong(
  ours: readonly ComparedRecord[],
  theirs: readonly ComparedRecord[],
  mayPair: MayPair,
): PairedRecords['pairs'] {
  const found: PairedRecords['pairs'] = [];
  const open = new Map([...Map.groupBy(theirs, ({ mark }) => mark)].map(([mark, some]) => [mark, [...some]]));
  const rest = ours.filter((one) => {
    const other = open.get(one.mark)?.pop();
    if (other) found.push([one, other]);
    return !other;
  });
  const others = [...open.values()].flat();
  const isMany = rest.length * others.length > mostCompared;
  const candidates = rest.flatMap((one, at) => {
    const fitting = (isMany ? others.slice(at, at + 1) : others).filter((other) => mayPair(one, other));
    return fitting.map((other) => ({ one, other, score: isMany ? 0 : score(one, other) }));
  });
  const taken = new Set<ComparedRecord>();
  for (const { one, other } of candidates.sort((a, b) => b.score - a.score)) {
    if (taken.has(one) || taken.has(other)) continue;
    taken.add(one).add(other);
    found.push([one, other]);
  }
  return found;
}

/** How many fields say the same. */
function score(one: ComparedRecord, other: ComparedRecord): number {
  const values = [...one.values];
  return values.filter(([name, value]) => JSON.stringify(value) === JSON.stringify(other.values.get(name)))
    .length;
}
