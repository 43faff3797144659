/** Which writes an undo is about: one by its number, a run, the newest, or all that fit. */

import { jsonIn } from '../../storage/json-cell.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { EntryFilter } from '../journal/reading.ts';
import { entries, entryNumbered } from '../journal/reading.ts';
import { isCommandContent } from '../journal/stored-entry.ts';

export interface Chosen {
  /** Newest first; what was refused has changed nothing and is not among them. */
  numbers: readonly number[];
  /** What it takes back, as it is kept: a number, a run, or a moment. */
  called: string;
}

type Accounts = Pick<EntryFilter, 'accounts'>;

/** Undefined where these accounts have no such write. */
export function chooseNumber(journal: Journal, number: number, { accounts }: Accounts): Chosen | undefined {
  const entry = entryNumbered(journal, number, accounts);
  return entry && { numbers: numbersOf([entry]), called: String(number) };
}

export function chooseRun(journal: Journal, run: string, filter: EntryFilter): Chosen | undefined {
  const found = entries(journal, { ...filter, run });
  const numbers = numbersOf(found);
  return numbers.length > 0 ? { numbers, called: run } : undefined;
}

export function chooseSince(journal: Journal, since: number, filter: EntryFilter): Chosen {
  return {
    numbers: numbersOf(entries(journal, { ...filter, since })),
    called: new Date(since).toISOString(),
  };
}

/** The newest command or run that has changed something, an undo being one itself. */
export function chooseLast(journal: Journal, filter: EntryFilter): Chosen | undefined {
  for (const entry of entries(journal, filter)) {
    if (entry.outcome !== 'refused') return chooseRun(journal, entry.run, filter);
  }
  return undefined;
}

/** An undo by its run; undefined where that is none, or there is no such run. */
export function chooseUndo(journal: Journal, run: string, filter: Accounts): Chosen | undefined {
  for (const undoing of undoings(journal, filter))
    if (undoing.run === run) return chooseRun(journal, run, filter);
  return undefined;
}

/** The newest undo that nothing has taken back since. */
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

/** Newest first, each run once. */
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

function numbersOf(found: Iterable<Entry>): number[] {
  const numbers: number[] = [];
  for (const { number, outcome } of found) if (outcome !== 'refused') numbers.push(number);
  return numbers;
}
