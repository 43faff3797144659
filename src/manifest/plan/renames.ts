/**
 * Renames in which a record takes the name that another record releases: chooses the row of each record, and the order
 * of the renames.
 */
import { isScalar } from '../../base/number-text.ts';
import { isSameValue } from '../../session/diff/values.ts';
import type { Row } from '../../session/row.ts';
import { type Declared, keyFingerprint, keyText } from '../declared/declared.ts';
import { Ref } from '../declared/ref.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import type { DeclaredLookup, KeySide } from './choose-row.ts';

/**
 * Returns the key by which records are matched that swap names in a cycle, if both keys match rows. The chosen key is the one
 * whose rows differ less from the other declared values. Adds a mistake if both differ equally.
 */
export function sidesInCycles(
  wanted: readonly DeclaredLookup[],
  mistakes: Mistakes,
): (each: DeclaredLookup) => KeySide | undefined {
  const ambiguous = wanted.filter((each) => matchesTwoRows(each) && !each.temporary?.matches.length);
  const byOld = new Map(ambiguous.map((each) => [each.old?.matches[0]?.id, each]));
  const sides = new Map<DeclaredLookup, KeySide>();
  const seen = new Set<DeclaredLookup>();
  for (const start of ambiguous) {
    const cycle: DeclaredLookup[] = [];
    let at: DeclaredLookup | undefined = start;
    for (; at && !seen.has(at); at = byOld.get(at.key?.matches[0]?.id)) {
      seen.add(at);
      cycle.push(at);
    }
    if (at !== start) continue;
    const side = sideOfCycle(cycle);
    for (const each of cycle) {
      if (side) sides.set(each, side);
      else mistakes.add(each.record.location, undecidedMessage(each));
    }
    // The mistake is reported once.
    if (!side) for (const each of cycle) sides.set(each, 'old');
  }
  return (each) => sides.get(each);
}

function sideOfCycle(circle: readonly DeclaredLookup[]): KeySide | undefined {
  // A row that is identified by its ID has not released its name yet.
  if (circle.some(({ record }) => record.oldKey?.some(({ name }) => name === 'id'))) return 'old';
  const differences = (side: KeySide) =>
    circle.reduce((sum, each) => sum + countDifferences(each.record, each[side]?.matches[0] ?? {}), 0);
  const [key, old] = [differences('key'), differences('old')];
  return key === old ? undefined : key < old ? 'key' : 'old';
}

/** Returns how many plain values of the record, except its key, differ from a row. */
function countDifferences({ key, given }: Declared, row: Row): number {
  const isOther = (name: string) => key.every((part) => part.name !== name);
  return [...given.values()].filter(
    ({ field: { name, field }, value }) =>
      isOther(name) && !(value instanceof Ref) && isScalar(value) && !isSameValue(field, row[name], value),
  ).length;
}

function undecidedMessage({ record, old }: DeclaredLookup): string {
  return `${keyText(record)} swaps its name with another record, and the files don't show whether this is already done: declare a value in which they differ, or the ID of the record, as in $renamed_from: { id: ${old?.matches[0]?.id} }`;
}

/**
 * Returns the key by which each record is matched if both keys match different rows. The row with the new
 * name may not have released it yet, and the row with the old name may be another record that took it. Returns undefined if
 * neither is the case, or if it is uncertain.
 */
export function sidesOfRenamed(
  wanted: readonly DeclaredLookup[],
): (each: DeclaredLookup) => KeySide | undefined {
  const torn = wanted.filter(matchesTwoRows);
  if (torn.length === 0) return () => undefined;
  const byKey = new Map(torn.map((each) => [each.key?.matches[0]?.id, each]));
  const byOld = new Map(torn.map((each) => [each.old?.matches[0]?.id, each]));
  const known = new Map<DeclaredLookup, Set<KeySide>>();
  const note = (from: DeclaredLookup, side: KeySide): void => {
    let [each, row] = [from, side === 'old' ? from.old?.matches[0] : from.key?.matches[0]];
    for (;;) {
      // A record with its old name will release it, and a renamed record has taken a name.
      const next = row && (side === 'old' ? byKey : byOld).get(row.id);
      if (!next || next === each || known.get(next)?.has(side)) return;
      known.set(next, (known.get(next) ?? new Set<KeySide>()).add(side));
      [each, row] = [next, side === 'old' ? next.old?.matches[0] : next.key?.matches[0]];
    }
  };
  for (const each of wanted) {
    if (matchesTwoRows(each) || each.temporary?.matches.length) continue;
    const [own, before] = [each.key?.matches.length ?? 0, each.old?.matches.length ?? 0];
    if (own === 1) note(each, 'key');
    else if (own === 0 && before === 1) note(each, 'old');
  }
  return (each) => {
    const [side, ...more] = known.get(each) ?? [];
    return more.length === 0 ? side : undefined;
  };
}

function matchesTwoRows({ key, old }: DeclaredLookup): boolean {
  const [own, before] = [key?.matches ?? [], old?.matches ?? []];
  return own.length === 1 && before.length === 1 && own[0]?.id !== before[0]?.id;
}

/** Returns the key that a change releases: the current key of its record, independent of the order of its fields. */
function releasedKey({ work: { known } }: Change, { resource, key, oldKey }: Declared): string | undefined {
  if (!oldKey) return undefined;
  const isPlain = key.every(({ value }) => !(value instanceof Ref));
  if (isPlain && known)
    return keyFingerprint({ resource, key: key.map(({ name }) => ({ name, value: known[name] })) });
  const place = (name: string) => key.findIndex((part) => part.name === name);
  return keyFingerprint({ resource, key: [...oldKey].sort((a, b) => place(a.name) - place(b.name)) });
}

/**
 * Orders changes so that a record that takes a name comes after the record that releases it, and waits for it. If records
 * swap names that must be unique, one of them gets a temporary name first.
 */
export function orderRenames(changes: ReadonlyMap<Change, Declared>): Change[] {
  const renaming = new Map<string, Change>();
  for (const [change, record] of changes) {
    const released = releasedKey(change, record);
    if (released !== undefined && record.key.some(({ name }) => Object.hasOwn(change.fields, name)))
      renaming.set(released, change);
  }
  if (renaming.size < 2) return [...changes.keys()];
  const releaserOf = (change: Change): Change | undefined => {
    const record = changes.get(change);
    const releaser = record?.oldKey && renaming.get(keyFingerprint(record));
    return releaser === change ? undefined : releaser;
  };
  const ordered = new Set<Change>();
  for (const change of changes.keys()) {
    const path = new Set<Change>();
    let at: Change | undefined = change;
    for (; at && !ordered.has(at) && !path.has(at); at = releaserOf(at)) {
      const giver = releaserOf(at);
      if (giver) at.work.after = giver.work.name;
      path.add(at);
    }
    const record = at && path.has(at) ? changes.get(at) : undefined;
    if (at && record) breakCycle(at, record, [...path]);
    for (const each of [...path].reverse()) ordered.add(each);
  }
  return [...ordered];
}

/** Gives the first record of a cycle a temporary name, so that the others can take their names. */
function breakCycle(first: Change, record: Declared, circle: readonly Change[]): void {
  const release = temporaryKey(record);
  const last = circle.at(-1);
  if (!release) {
    // Names that needn't be unique don't need an order.
    delete first.work.after;
    return;
  }
  first.work.release = { ...release, name: `${first.work.name} (temporary name)` };
  if (last && last !== first) last.work.after = first.work.release.name;
}

/** Returns the unique field of a key with the temporary name of its record during a swap. */
export function temporaryKey({ resource, key }: Declared): { field: string; value: string } | undefined {
  const part = key.find(({ name }) => resource.fields[name]?.traits.unique);
  return part && typeof part.value === 'string'
    ? { field: part.name, value: `${part.value}~boh` }
    : undefined;
}
