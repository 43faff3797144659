/**
 * Renames in which a record takes the name that another record releases: chooses the row of each record, and the order
 * of the renames.
 */

import { isSameValue } from '../../../account/session/diff/values.ts';
import type { Row } from '../../../account/session/row.ts';
import { isScalar } from '../../../base/number-text.ts';
import { type Declared, formatRecordKey, keyFingerprint } from '../declared/declared.ts';
import { Ref } from '../declared/ref.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import type { DeclaredLookup, KeySide } from './choose-row.ts';

/**
 * Chooses the key by which records that swap names in a cycle are matched, if both keys match rows. It is the key whose
 * rows differ less from the other declared values. Adds a mistake if both differ equally.
 */
export function chooseCycleSides(
  lookups: readonly DeclaredLookup[],
  mistakes: Mistakes,
): (lookup: DeclaredLookup) => KeySide | undefined {
  const ambiguous = lookups.filter((lookup) => matchesTwoRows(lookup) && !lookup.temporary?.matches.length);
  const byOld = new Map(ambiguous.map((lookup) => [lookup.old?.matches[0]?.id, lookup]));
  const sides = new Map<DeclaredLookup, KeySide>();
  const visited = new Set<DeclaredLookup>();
  for (const start of ambiguous) {
    const cycle: DeclaredLookup[] = [];
    let current: DeclaredLookup | undefined = start;
    for (; current && !visited.has(current); current = byOld.get(current.key?.matches[0]?.id)) {
      visited.add(current);
      cycle.push(current);
    }
    if (current !== start) continue;
    const side = chooseSideOfCycle(cycle);
    for (const lookup of cycle) {
      if (side) sides.set(lookup, side);
      else mistakes.add(lookup.record.location, ambiguousCycleMessage(lookup));
    }
    // The mistake is reported once.
    if (!side) for (const lookup of cycle) sides.set(lookup, 'old');
  }
  return (lookup) => sides.get(lookup);
}

function chooseSideOfCycle(cycle: readonly DeclaredLookup[]): KeySide | undefined {
  // A row that is identified by its ID has not released its name yet.
  if (cycle.some(({ record }) => record.oldKey?.some(({ name }) => name === 'id'))) return 'old';
  const countOfSide = (side: KeySide) =>
    cycle.reduce((sum, lookup) => sum + countDifferences(lookup.record, lookup[side]?.matches[0] ?? {}), 0);
  const [key, old] = [countOfSide('key'), countOfSide('old')];
  return key === old ? undefined : key < old ? 'key' : 'old';
}

/** Returns how many plain values of the record, except its key, differ from a row. */
function countDifferences({ key, values }: Declared, row: Row): number {
  const isNotInKey = (name: string) => key.every((part) => part.name !== name);
  return [...values.values()].filter(
    ({ field: { name, field }, value }) =>
      isNotInKey(name) && !(value instanceof Ref) && isScalar(value) && !isSameValue(field, row[name], value),
  ).length;
}

function ambiguousCycleMessage({ record, old }: DeclaredLookup): string {
  return `${formatRecordKey(record)} swaps its name with another record, and the files don't show whether this is already done: declare a value in which they differ, or the ID of the record, as in $renamed_from: { id: ${old?.matches[0]?.id} }`;
}

/**
 * Returns the key by which each record is matched if both keys match different rows. The row with the new
 * name may not have released it yet, and the row with the old name may be another record that took it. Returns undefined if
 * neither is the case, or if it is uncertain.
 */
export function chooseRenameSides(
  lookups: readonly DeclaredLookup[],
): (lookup: DeclaredLookup) => KeySide | undefined {
  const ambiguous = lookups.filter(matchesTwoRows);
  if (ambiguous.length === 0) return () => undefined;
  const byKey = new Map(ambiguous.map((lookup) => [lookup.key?.matches[0]?.id, lookup]));
  const byOld = new Map(ambiguous.map((lookup) => [lookup.old?.matches[0]?.id, lookup]));
  const sidesByLookup = new Map<DeclaredLookup, Set<KeySide>>();
  const addSide = (start: DeclaredLookup, side: KeySide): void => {
    let [lookup, row] = [start, side === 'old' ? start.old?.matches[0] : start.key?.matches[0]];
    for (;;) {
      // A record with its old name will release it, and a renamed record has taken a name.
      const next = row && (side === 'old' ? byKey : byOld).get(row.id);
      if (!next || next === lookup || sidesByLookup.get(next)?.has(side)) return;
      sidesByLookup.set(next, (sidesByLookup.get(next) ?? new Set<KeySide>()).add(side));
      [lookup, row] = [next, side === 'old' ? next.old?.matches[0] : next.key?.matches[0]];
    }
  };
  for (const lookup of lookups) {
    if (matchesTwoRows(lookup) || lookup.temporary?.matches.length) continue;
    const [keyMatchCount, oldKeyMatchCount] = [
      lookup.key?.matches.length ?? 0,
      lookup.old?.matches.length ?? 0,
    ];
    if (keyMatchCount === 1) addSide(lookup, 'key');
    else if (keyMatchCount === 0 && oldKeyMatchCount === 1) addSide(lookup, 'old');
  }
  return (lookup) => {
    const [side, ...otherSides] = sidesByLookup.get(lookup) ?? [];
    return otherSides.length === 0 ? side : undefined;
  };
}

function matchesTwoRows({ key, old }: DeclaredLookup): boolean {
  const [keyMatches, oldKeyMatches] = [key?.matches ?? [], old?.matches ?? []];
  return keyMatches.length === 1 && oldKeyMatches.length === 1 && keyMatches[0]?.id !== oldKeyMatches[0]?.id;
}

/** Returns the key that a change releases: the current key of its record, independent of the order of its fields. */
function releasedKey(
  { requests: { current } }: Change,
  { resource, key, oldKey }: Declared,
): string | undefined {
  if (!oldKey) return undefined;
  const isPlain = key.every(({ value }) => !(value instanceof Ref));
  if (isPlain && current)
    return keyFingerprint({ resource, key: key.map(({ name }) => ({ name, value: current[name] })) });
  const indexOf = (name: string) => key.findIndex((part) => part.name === name);
  return keyFingerprint({ resource, key: [...oldKey].sort((a, b) => indexOf(a.name) - indexOf(b.name)) });
}

/**
 * Orders changes so that a record that takes a name comes after the record that releases it, and waits for it. If records
 * swap names that must be unique, one of them gets a temporary name first.
 */
export function orderRenames(changes: ReadonlyMap<Change, Declared>): Change[] {
  const renamesByKey = new Map<string, Change>();
  for (const [change, record] of changes) {
    const released = releasedKey(change, record);
    if (released !== undefined && record.key.some(({ name }) => Object.hasOwn(change.fields, name)))
      renamesByKey.set(released, change);
  }
  if (renamesByKey.size < 2) return [...changes.keys()];
  const releaserOf = (change: Change): Change | undefined => {
    const record = changes.get(change);
    const releaser = record?.oldKey && renamesByKey.get(keyFingerprint(record));
    return releaser === change ? undefined : releaser;
  };
  const orderedChanges = new Set<Change>();
  for (const change of changes.keys()) {
    const path = new Set<Change>();
    let current: Change | undefined = change;
    for (; current && !orderedChanges.has(current) && !path.has(current); current = releaserOf(current)) {
      const releaser = releaserOf(current);
      if (releaser) current.requests.after = releaser.requests.name;
      path.add(current);
    }
    const record = current && path.has(current) ? changes.get(current) : undefined;
    if (current && record) breakCycle(current, record, [...path]);
    for (const pathChange of [...path].reverse()) orderedChanges.add(pathChange);
  }
  return [...orderedChanges];
}

/** Gives the first record of a cycle a temporary name, so that the others can take their names. */
function breakCycle(first: Change, record: Declared, cycle: readonly Change[]): void {
  const release = temporaryKey(record);
  const last = cycle.at(-1);
  if (!release) {
    // Names that needn't be unique don't need an order.
    delete first.requests.after;
    return;
  }
  first.requests.release = { ...release, name: `${first.requests.name} (temporary name)` };
  if (last && last !== first) last.requests.after = first.requests.release.name;
}

/** Returns the unique field of a key with the temporary name of its record during a swap. */
export function temporaryKey({ resource, key }: Declared): { field: string; value: string } | undefined {
  const part = key.find(({ name }) => resource.fields[name]?.traits.unique);
  return part && typeof part.value === 'string'
    ? { field: part.name, value: `${part.value}~boh` }
    : undefined;
}
