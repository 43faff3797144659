/**
 * Renames in which a record takes the name that another one releases: chooses the row of each record, and the order
 * of the renames.
 */
import { type Declared, keyFingerprint, keyText } from '../declared/declared.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import type { DeclaredLookup, Side } from './choose-row.ts';

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
    if (isTorn(each)) continue;
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

/**
 * Adds a mistake for a circle of renames: afterwards the account looks as before, so that no plan can see whether
 * it is done.
 */
export function refuseCircles(records: readonly Declared[], mistakes: Mistakes): void {
  const givers = giversOf(records);
  const seen = new Set<Declared>();
  for (const start of givers.values()) {
    const way: Declared[] = [];
    for (let at: Declared | undefined = start; at && !seen.has(at); at = givers.get(keyFingerprint(at))) {
      seen.add(at);
      way.push(at);
    }
    const last = way.at(-1);
    const first = last && givers.get(keyFingerprint(last));
    const from = first ? way.indexOf(first) : -1;
    if (from < 0) continue;
    for (const record of way.slice(from))
      mistakes.add(
        record.at,
        `${keyText(record)} is part of a circle of renames ($renamed_from), and a later plan couldn't see whether it was done: first rename one of them to an unused key and apply that`,
      );
  }
}

/** Returns the records that release a key, by their former key. */
function giversOf(records: readonly Declared[]): Map<string, Declared> {
  const givers = new Map<string, Declared>();
  for (const record of records) {
    const mark = oldMark(record);
    if (mark !== undefined && mark !== keyFingerprint(record)) givers.set(mark, record);
  }
  return givers;
}

/** Returns the former key as `keyMark` does, independent of the order of its fields. */
function oldMark({ resource, key, oldKey }: Declared): string | undefined {
  if (!oldKey) return undefined;
  const place = (name: string) => key.findIndex((part) => part.name === name);
  return keyFingerprint({ resource, key: [...oldKey].sort((a, b) => place(a.name) - place(b.name)) });
}

/** Orders changes so that a record that takes a name comes after the one that releases it, and waits for it. */
export function inOrderOfNames(changes: ReadonlyMap<Change, Declared>): Change[] {
  const renaming = new Map<string, Change>();
  for (const [change, record] of changes) {
    const mark = oldMark(record);
    if (mark !== undefined && record.key.some(({ name }) => Object.hasOwn(change.fields, name)))
      renaming.set(mark, change);
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
    for (let at: Change | undefined = change; at && !placed.has(at) && !way.has(at); at = giverOf(at)) {
      const giver = giverOf(at);
      if (giver) at.work.after = giver.work.name;
      way.add(at);
    }
    for (const each of [...way].reverse()) placed.add(each);
  }
  return [...placed];
}
