/** Selects the writes of an undo: one write by number, a run, the newest command, or all writes that match a filter. */

import { parseJsonCell } from '../../storage/json-cell.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { EntryFilter } from '../journal/reading.ts';
import { entries, entryNumbered } from '../journal/reading.ts';
import { isCommandContent } from '../journal/stored-entry.ts';

/** The selected writes. */
export interface SelectedWrites {
  /** The numbers of the writes, newest first; refused writes are excluded, because they changed nothing. */
  numbers: readonly number[];
  /** The stored name of the selection: a number, a run, or a time. */
  selector: string;
  /**
   * Returns the same writes and those that a run in progress has added since. `inProgress` contains the selectors of
   * the undos in progress.
   */
  refresh(journal: Journal, inProgress: readonly string[]): SelectedWrites | undefined;
}

type Accounts = Pick<EntryFilter, 'accounts'>;

/** Returns undefined if these accounts have no such write. */
export function selectNumber(
  journal: Journal,
  number: number,
  { accounts }: Accounts,
): SelectedWrites | undefined {
  const entry = entryNumbered(journal, number, accounts);
  const refresh = (currentJournal: Journal) => selectNumber(currentJournal, number, { accounts });
  return entry && { numbers: numbersOf([entry]), selector: String(number), refresh };
}

/** Selects the writes of a run; undefined if it has none. */
export function selectRun(journal: Journal, run: string, filter: EntryFilter): SelectedWrites | undefined {
  const matchingEntries = entries(journal, { ...filter, run });
  const numbers = numbersOf(matchingEntries);
  const refresh = (currentJournal: Journal) => selectRun(currentJournal, run, filter);
  return numbers.length > 0 ? { numbers, selector: run, refresh } : undefined;
}

/** Selects the matching writes since a time. */
export function selectSince(journal: Journal, since: number, filter: EntryFilter): SelectedWrites {
  return {
    numbers: numbersOf(entries(journal, { ...filter, since })),
    selector: new Date(since).toISOString(),
    refresh: (currentJournal) => selectSince(currentJournal, since, filter),
  };
}

/** Selects the newest command or run that has changed something; an undo counts as one. */
export function selectLast(journal: Journal, filter: EntryFilter): SelectedWrites | undefined {
  for (const entry of entries(journal, filter)) {
    if (entry.outcome === 'refused') continue;
    const selected = selectRun(journal, entry.run, filter);
    return (
      selected && {
        ...selected,
        refresh: (currentJournal, inProgress) => refreshLast(currentJournal, selected, filter, inProgress),
      }
    );
  }
  return undefined;
}

/** Selects the same command again if its undo is now the newest command. */
function refreshLast(
  journal: Journal,
  { selector }: SelectedWrites,
  filter: EntryFilter,
  inProgress: readonly string[],
): SelectedWrites | undefined {
  for (const { run, takesBack, isRedo } of undoings(journal, filter))
    if (run === selector && !isRedo && inProgress.includes(takesBack))
      return selectByName(journal, takesBack, filter);
  return selectRun(journal, selector, filter);
}

/** Selects writes by the name that an undo has stored. */
function selectByName(journal: Journal, selector: string, filter: EntryFilter): SelectedWrites | undefined {
  if (/^\d+$/.test(selector)) return selectNumber(journal, Number(selector), filter);
  const since = Date.parse(selector);
  return Number.isNaN(since) ? selectRun(journal, selector, filter) : selectSince(journal, since, filter);
}

/** Selects an undo by its run; undefined if the run doesn't exist or isn't an undo. */
export function selectUndo(journal: Journal, run: string, filter: Accounts): SelectedWrites | undefined {
  for (const undoing of undoings(journal, filter))
    if (undoing.run === run) return selectRun(journal, run, filter);
  return undefined;
}

/** Selects the newest undo that was not redone since. */
export function selectUndone(journal: Journal, filter: Accounts): SelectedWrites | undefined {
  const redoneRuns = new Set<string>();
  for (const { run, takesBack, isRedo } of undoings(journal, filter)) {
    if (!isRedo && !redoneRuns.has(run)) return selectRun(journal, run, filter);
    redoneRuns.add(takesBack);
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
  const seenRuns = new Set<string>();
  for (const { run, account, content } of rows) {
    if (seenRuns.has(String(run)) || accounts?.includes(Number(account)) === false) continue;
    seenRuns.add(String(run));
    const { takesBack = '', isRedo } = parseJsonCell(content, journal.database, isCommandContent);
    yield { run: String(run), takesBack, isRedo: isRedo === true };
  }
}

/** Returns the names of the resources that were written to, as far as the contract has them. */
export function resourcesOf(journal: Journal, { numbers }: SelectedWrites): string[] {
  const names = new Set<string>();
  for (const number of numbers) {
    const resource = journal.database.get('SELECT resource FROM entries WHERE number = ?', number)?.resource;
    if (typeof resource === 'string') names.add(resource);
  }
  return [...names];
}

function numbersOf(matchingEntries: Iterable<Entry>): number[] {
  const numbers: number[] = [];
  for (const { number, outcome } of matchingEntries) if (outcome !== 'refused') numbers.push(number);
  return numbers;
}
