/** Selects the writes of an undo: one write by number, a run, the newest command, or all writes that match a filter. */

import { parseJsonCell } from '../../../base/storage/json-cell.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { type EntryFilter, entries, entryNumbered } from '../journal/reading.ts';
import { isCommandContent } from '../journal/stored-entry.ts';

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

/** Returns undefined if there is no such write. */
export function selectNumber(journal: Journal, number: number): SelectedWrites | undefined {
  const entry = entryNumbered(journal, number);
  const refresh = (currentJournal: Journal) => selectNumber(currentJournal, number);
  return entry && { numbers: numbersOf([entry]), selector: String(number), refresh };
}

/** Selects the writes of a run; undefined if it has none. */
export function selectRun(journal: Journal, run: string): SelectedWrites | undefined {
  const numbers = numbersOf(entries(journal, { run }));
  const refresh = (currentJournal: Journal) => selectRun(currentJournal, run);
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
export function selectLast(journal: Journal): SelectedWrites | undefined {
  for (const entry of entries(journal, {})) {
    if (entry.outcome === 'refused') continue;
    const selected = selectRun(journal, entry.run);
    return (
      selected && {
        ...selected,
        refresh: (currentJournal, inProgress) => refreshLast(currentJournal, selected, inProgress),
      }
    );
  }
  return undefined;
}

/** Selects the same command again if its undo is now the newest command. */
function refreshLast(
  journal: Journal,
  { selector }: SelectedWrites,
  inProgress: readonly string[],
): SelectedWrites | undefined {
  for (const { run, takesBack, isRedo } of undoings(journal))
    if (run === selector && !isRedo && inProgress.includes(takesBack))
      return selectByName(journal, takesBack);
  return selectRun(journal, selector);
}

/** Selects writes by the name that an undo has stored. */
function selectByName(journal: Journal, selector: string): SelectedWrites | undefined {
  if (/^\d+$/.test(selector)) return selectNumber(journal, Number(selector));
  const since = Date.parse(selector);
  return Number.isNaN(since) ? selectRun(journal, selector) : selectSince(journal, since, {});
}

/** Selects an undo by its run; undefined if the run doesn't exist or isn't an undo. */
export function selectUndo(journal: Journal, run: string): SelectedWrites | undefined {
  for (const undoing of undoings(journal)) if (undoing.run === run) return selectRun(journal, run);
  return undefined;
}

/** Selects the newest undo that was not redone since. */
export function selectUndone(journal: Journal): SelectedWrites | undefined {
  const redoneRuns = new Set<string>();
  for (const { run, takesBack, isRedo } of undoings(journal)) {
    if (!isRedo && !redoneRuns.has(run)) return selectRun(journal, run);
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
function* undoings(journal: Journal): Generator<Undoing> {
  const rows = journal.database.all(
    `SELECT run, content FROM commands
     WHERE json_extract(content, '$.takesBack') IS NOT NULL ORDER BY id DESC`,
  );
  const seenRuns = new Set<string>();
  for (const { run, content } of rows) {
    if (seenRuns.has(String(run))) continue;
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
