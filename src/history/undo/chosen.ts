/** Selects the writes of an undo: one by number, a run, the newest, or all that match a filter. */

import { jsonIn } from '../../storage/json-cell.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { EntryFilter } from '../journal/reading.ts';
import { entries, entryNumbered } from '../journal/reading.ts';
import { isCommandContent } from '../journal/stored-entry.ts';

/** The selected writes. */
export interface Chosen {
  /** Newest first; refused writes are excluded, because they changed nothing. */
  numbers: readonly number[];
  /** The stored name of what the undo undoes: a number, a run, or a moment. */
  called: string;
  /**
   * Returns the same writes and those that a run still in progress has added since. `underWay` names what the undos in
   * progress undo.
   */
  again(journal: Journal, underWay: readonly string[]): Chosen | undefined;
}

type Accounts = Pick<EntryFilter, 'accounts'>;

/** Returns undefined if these accounts have no such write. */
export function chooseNumber(journal: Journal, number: number, { accounts }: Accounts): Chosen | undefined {
  const entry = entryNumbered(journal, number, accounts);
  const again = (later: Journal) => chooseNumber(later, number, { accounts });
  return entry && { numbers: numbersOf([entry]), called: String(number), again };
}

/** Selects the writes of a run; undefined if it has none. */
export function chooseRun(journal: Journal, run: string, filter: EntryFilter): Chosen | undefined {
  const found = entries(journal, { ...filter, run });
  const numbers = numbersOf(found);
  const again = (later: Journal) => chooseRun(later, run, filter);
  return numbers.length > 0 ? { numbers, called: run, again } : undefined;
}

/** Selects the matching writes since a moment. */
export function chooseSince(journal: Journal, since: number, filter: EntryFilter): Chosen {
  return {
    numbers: numbersOf(entries(journal, { ...filter, since })),
    called: new Date(since).toISOString(),
    again: (later) => chooseSince(later, since, filter),
  };
}

/** Selects the newest command or run that has changed something; an undo counts as one. */
export function chooseLast(journal: Journal, filter: EntryFilter): Chosen | undefined {
  for (const entry of entries(journal, filter)) {
    if (entry.outcome === 'refused') continue;
    const chosen = chooseRun(journal, entry.run, filter);
    return chosen && { ...chosen, again: (later, underWay) => lastAgain(later, chosen, filter, underWay) };
  }
  return undefined;
}

/** Selects the same command again if its undo has become the newest meanwhile. */
function lastAgain(
  journal: Journal,
  { called }: Chosen,
  filter: EntryFilter,
  underWay: readonly string[],
): Chosen | undefined {
  for (const { run, takesBack, isRedo } of undoings(journal, filter))
    if (run === called && !isRedo && underWay.includes(takesBack))
      return chooseCalled(journal, takesBack, filter);
  return chooseRun(journal, called, filter);
}

/** Selects writes by the name that an undo has stored. */
function chooseCalled(journal: Journal, called: string, filter: EntryFilter): Chosen | undefined {
  if (/^\d+$/.test(called)) return chooseNumber(journal, Number(called), filter);
  const since = Date.parse(called);
  return Number.isNaN(since) ? chooseRun(journal, called, filter) : chooseSince(journal, since, filter);
}

/** Selects an undo by its run; undefined if the run doesn't exist or isn't an undo. */
export function chooseUndo(journal: Journal, run: string, filter: Accounts): Chosen | undefined {
  for (const undoing of undoings(journal, filter))
    if (undoing.run === run) return chooseRun(journal, run, filter);
  return undefined;
}

/** Selects the newest undo that was not redone since. */
export function chooseUndone(journal: Journal, filter: Accounts): Chosen | undefined {
  const over = new Set<string>();
  for (const { run, takesBack, isRedo } of undoings(journal, filter)) {
    if (!isRedo && !over.has(run)) return chooseRun(journal, run, filter);
    over.add(takesBack);
  }
  return undefined;
}

interface Undoing {
  run: string;
  takesBack: string;
  isRedo: boolean;
}

/** Yields undos newest first, each run once. */
function* undoings(journal: Journal, { accounts }: Accounts): Generator<Undoing> {
  const rows = journal.database.all(
    `SELECT run, account, content FROM commands
     WHERE json_extract(content, '$.takesBack') IS NOT NULL ORDER BY id DESC`,
  );
  const seen = new Set<string>();
  for (const { run, account, content } of rows) {
    if (seen.has(String(run)) || accounts?.includes(Number(account)) === false) continue;
    seen.add(String(run));
    const { takesBack = '', isRedo } = jsonIn(content, journal.database, isCommandContent);
    yield { run: String(run), takesBack, isRedo: isRedo === true };
  }
}

/** Returns the names of the resources that were written to, as far as the contract has them. */
export function resourcesOf(journal: Journal, { numbers }: Chosen): string[] {
  const names = new Set<string>();
  for (const number of numbers) {
    const resource = journal.database.get('SELECT resource FROM entries WHERE number = ?', number)?.resource;
    if (typeof resource === 'string') names.add(resource);
  }
  return [...names];
}

function numbersOf(found: Iterable<Entry>): number[] {
  const numbers: number[] = [];
  for (const { number, outcome } of found) if (outcome !== 'refused') numbers.push(number);
  return numbers;
}
