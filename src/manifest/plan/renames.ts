/**
 * Renames in which a record takes the name that another one releases: chooses the row of each record, and the order
 * of the renames.
 */
import { isScalar } from '../../base/number-text.ts';
import { isSame } from '../../session/diff/values.ts';
import type { Row } from '../../session/row.ts';
import { type Declared, keyFingerprint, keyText } from '../declared/declared.ts';
import { Ref } from '../declared/ref.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import type { DeclaredLookup, Side } from './choose-row.ts';

/**
 * Returns by which key the records are matched that exchange names in a circle, where both keys match rows: by the one
 * whose rows differ less from the other declared values. Adds a mistake if nothing distinguishes them.
 */
export function sidesOfCircles(
  wanted: readonly DeclaredLookup[],
  mistakes: Mistakes,
): (each: DeclaredLookup) => Side | undefined {
  const torn = wanted.filter((each) => isTorn(each) && !each.temporary?.found.length);
  const byOld = new Map(torn.map((each) => [each.old?.found[0]?.id, each]));
  const sides = new Map<DeclaredLookup, Side>();
  const seen = new Set<DeclaredLookup>();
  for (const start of torn) {
    const circle: DeclaredLookup[] = [];
    let at: DeclaredLookup | undefined = start;
    for (; at && !seen.has(at); at = byOld.get(at.key?.found[0]?.id)) {
      seen.add(at);
      circle.push(at);
    }
    if (at !== start) continue;
    const side = sideOfCircle(circle);
    for (const each of circle) {
      if (side) sides.set(each, side);
      else mistakes.add(each.record.at, undecided(each));
    }
    // The mistake is reported once.
    if (!side) for (const each of circle) sides.set(each, 'old');
  }
  return (each) => sides.get(each);
}

function sideOfCircle(circle: readonly DeclaredLookup[]): Side | undefined {
  // A row that is named by its id has not released its name yet.
  if (circle.some(({ record }) => record.oldKey?.some(({ name }) => name === 'id'))) return 'old';
  const differences = (side: Side) =>
    circle.reduce((sum, each) => sum + countDifferences(each.record, each[side]?.found[0] ?? {}), 0);
  const [key, old] = [differences('key'), differences('old')];
  return key === old ? undefined : key < old ? 'key' : 'old';
}

/** Returns how many plain values of the record, except its key, differ from a row. */
function countDifferences({ key, given }: Declared, row: Row): number {
  const isOther = (name: string) => key.every((part) => part.name !== name);
  return [...given.values()].filter(
    ({ field: { name, field }, value }) =>
      isOther(name) && !(value instanceof Ref) && isScalar(value) && !isSame(field, row[name], value),
  ).length;
}

function undecided({ record, old }: DeclaredLookup): string {
  return `${keyText(record)} swaps its name with another record, and the files don't show whether this is already done: declare a value in which they differ, or the id of the record, as in $renamed_from: { id: ${old?.found[0]?.id} }`;
}

/**
 * Returns by which key each of these records is matched if both keys match different rows. The row with the new
 * name may still have to release it, and the row with the old name may be another record that took it. Undefined if
 * neither is the case, or it can't be known.
 */
export function sidesOfRenamed(
  wanted: readonly DeclaredLookup[],
): (each: DeclaredLookup) => Side | undefined {
  const torn = wanted.filter(isTorn);
  if (torn.length === 0) return () => undefined;
  const byKey = new Map(torn.map((each) => [each.key?.found[0]?.id, each]));
  const byOld = new Map(torn.map((each) => [each.old?.found[0]?.id, each]));
  const known = new Map<DeclaredLookup, Set<Side>>();
  const note = (from: DeclaredLookup, side: Side): void => {
    let [each, row] = [from, side === 'old' ? from.old?.found[0] : from.key?.found[0]];
    for (;;) {
      // A record that still has its old name will release it, and a renamed one has taken a name.
      const next = row && (side === 'old' ? byKey : byOld).get(row.id);
      if (!next || next === each || known.get(next)?.has(side)) return;
      known.set(next, (known.get(next) ?? new Set<Side>()).add(side));
      [each, row] = [next, side === 'old' ? next.old?.found[0] : next.key?.found[0]];
    }
  };
  for (const each of wanted) {
    if (isTorn(each) || each.temporary?.found.length) continue;
    const [own, before] = [each.key?.found.length ?? 0, each.old?.found.length ?? 0];
    if (own === 1) note(each, 'key');
    else if (own === 0 && before === 1) note(each, 'old');
  }
  return (each) => {
    const [side, ...more] = known.get(each) ?? [];
    return more.length === 0 ? side : undefined;
  };
}

function isTorn({ key, old }: DeclaredLookup): boolean {
  const [own, before] = [key?.found ?? [], old?.found ?? []];
  return own.length === 1 && before.length === 1 && own[0]?.id !== before[0]?.id;
}

/** Returns the key that a change releases: the present one of its record, independent of the order of its fields. */
function releasedKey({ work: { known } }: Change, { resource, key, oldKey }: Declared): string | undefined {
  if (!oldKey) return undefined;
  const isPlain = key.every(({ value }) => !(value instanceof Ref));
  if (isPlain && known)
    return keyFingerprint({ resource, key: key.map(({ name }) => ({ name, value: known[name] })) });
  const place = (name: string) => key.findIndex((part) => part.name === name);
  return keyFingerprint({ resource, key: [...oldKey].sort((a, b) => place(a.name) - place(b.name)) });
}

/**
 * Orders changes so that a record that takes a name comes after the one that releases it, and waits for it. If records
 * exchange names, one of them releases its name first by a temporary one, where names have to be unique.
 */
export function inOrderOfNames(changes: ReadonlyMap<Change, Declared>): Change[] {
  const renaming = new Map<string, Change>();
  for (const [change, record] of changes) {
    const released = releasedKey(change, record);
    if (released !== undefined && record.key.some(({ name }) => Object.hasOwn(change.fields, name)))
      renaming.set(released, change);
  }
  if (renaming.size < 2) return [...changes.keys()];
  const giverOf = (change: Change): Change | undefined => {
    const record = changes.get(change);
    const giver = record?.oldKey && renaming.get(keyFingerprint(record));
    return giver === change ? undefined : giver;
  };
  const placed = new Set<Change>();
  for (const change of changes.keys()) {
    const way = new Set<Change>();
    let at: Change | undefined = change;
    for (; at && !placed.has(at) && !way.has(at); at = giverOf(at)) {
      const giver = giverOf(at);
      if (giver) at.work.after = giver.work.name;
      way.add(at);
    }
    const record = at && way.has(at) ? changes.get(at) : undefined;
    if (at && record) breakCircle(at, record, [...way]);
    for (const each of [...way].reverse()) placed.add(each);
  }
  return [...placed];
}

/** Lets the first record of a circle release its name before the others take theirs. */
function breakCircle(first: Change, record: Declared, circle: readonly Change[]): void {
  const release = temporaryKey(record);
  const last = circle.at(-1);
  if (!release) {
    // Names that may be equal for a moment need no order.
    delete first.work.after;
    return;
  }
  first.work.release = { ...release, name: `${first.work.name} (temporary name)` };
  if (last && last !== first) last.work.after = first.work.release.name;
}

/** Returns the unique field of a key with the name that its record has while others exchange theirs. */
export function temporaryKey({ resource, key }: Declared): { field: string; value: string } | undefined {
  const part = key.find(({ name }) => resource.fields[name]?.traits.unique);
  return part && typeof part.value === 'string'
    ? { field: part.name, value: `${part.value}~boh` }
    : undefined;
}
