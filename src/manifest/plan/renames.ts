/** Records that take the name which another one gives up, in chains: which of two rows each of them is, and which has to be renamed first. */
import { type Declared, keyMark, keyText } from '../declared/declared.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import type { Side, Wanted } from './choose-row.ts';

/**
 * Of records for which both keys have found another row each. The one that has its name already may be the one that is
 * to give it up; and the one that has its old name may be another that took that over. Undefined where neither is so, or
 * nobody could tell.
 */
export function sidesOfRenamed(wanted: readonly Wanted[]): (each: Wanted) => Side | undefined {
  const torn = wanted.filter(isTorn);
  if (torn.length === 0) return () => undefined;
  const byKey = new Map(torn.map((each) => [each.key?.found[0]?.id, each]));
  const byOld = new Map(torn.map((each) => [each.old?.found[0]?.id, each]));
  const known = new Map<Wanted, Set<Side>>();
  const note = (from: Wanted, side: Side): void => {
    let [each, row] = [from, side === 'old' ? from.old?.found[0] : from.key?.found[0]];
    for (;;) {
      // Who moves away leaves a name behind, and who has come to stay has taken one over.
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

function isTorn({ key, old }: Wanted): boolean {
  const [own, before] = [key?.found ?? [], old?.found ?? []];
  return own.length === 1 && before.length === 1 && own[0]?.id !== before[0]?.id;
}

/** Once names have gone in a circle, the account looks as it did before: nobody could tell whether that is done. */
export function refuseCircles(records: readonly Declared[], mistakes: Mistakes): void {
  const givers = giversOf(records);
  const seen = new Set<Declared>();
  for (const start of givers.values()) {
    const way: Declared[] = [];
    for (let at: Declared | undefined = start; at && !seen.has(at); at = givers.get(keyMark(at))) {
      seen.add(at);
      way.push(at);
    }
    const last = way.at(-1);
    const first = last && givers.get(keyMark(last));
    const from = first ? way.indexOf(first) : -1;
    if (from < 0) continue;
    for (const record of way.slice(from))
      mistakes.add(
        record.at,
        `${keyText(record)} takes a name in a circle ($renamed_from), and a later plan couldn't see whether it was done: rename one of them to a name that is free, apply that, and continue from there`,
      );
  }
}

/** By the key that they had, the records that give it up. */
function giversOf(records: readonly Declared[]): Map<string, Declared> {
  const givers = new Map<string, Declared>();
  for (const record of records) {
    const mark = oldMark(record);
    if (mark !== undefined && mark !== keyMark(record)) givers.set(mark, record);
  }
  return givers;
}

/** As `keyMark` has it of the record that is called so now, in whichever order the old key was given. */
function oldMark({ resource, key, oldKey }: Declared): string | undefined {
  if (!oldKey) return undefined;
  const place = (name: string) => key.findIndex((part) => part.name === name);
  return keyMark({ resource, key: [...oldKey].sort((a, b) => place(a.name) - place(b.name)) });
}

/** The same changes, where one takes a name that another one gives up, behind that one; and it waits for it. */
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
    const giver = record?.oldKey && renaming.get(keyMark(record));
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
