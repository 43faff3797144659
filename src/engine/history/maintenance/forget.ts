/** Deletes the content about a record from a journal permanently. The emptied entries keep their numbers and outcomes. */

import { isRow } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Database } from '../../../base/storage/database.ts';
import { parseJsonCell } from '../../../base/storage/json-cell.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { changesSince, positionOf } from '../journal/journal-changes.ts';
import { entries, entriesAfter, entryNumbered } from '../journal/reading.ts';
import { isCommandContent } from '../journal/stored-entry.ts';
import { isAbout, namesIn, type Person } from './mentions.ts';

/** The text that replaces a command line that named the record. */
const forgottenLine = '(forgotten)';

export function personIn(journal: Journal, resource: Resource, id: string): Person {
  const names = new Map<string, Set<string>>();
  for (const entry of entries(journal, { resource: resource.name, id })) {
    for (const value of [entry.sent?.before, entry.answered?.after, entry.sent?.request.body]) {
      if (!isRow(value)) continue;
      for (const [name, text] of namesIn(resource, value))
        names.set(name, (names.get(name) ?? new Set()).add(text));
    }
  }
  return { resource, id, names };
}

/** The outcome of `forget`. */
export interface ForgetResult {
  /** The number of entries whose content was deleted. */
  entries: number;
  /** Whether the person has written entries. The entries stay, without the person's name. */
  hasWritten: boolean;
}

/** Deletes the content about a record. Call `scrub` afterwards to remove it from the file permanently. */
export function forget(journal: Journal, person: Person, api: Api): ForgetResult {
  const { database } = journal;
  const end = positionOf(journal);
  const numbers = new Set<number>();
  const addMentions = (candidates: Iterable<Entry>) => {
    for (const entry of candidates)
      if (!entry.isForgotten && isAbout(entry, person, api)) numbers.add(entry.number);
  };
  addMentions(entries(journal, {}));
  const hasWritten = database.write(() => {
    // Includes entries that were added since; no other process can write now.
    for (const number of changesSince(journal, end).numbers)
      addMentions([entryNumbered(journal, number)].filter(isDefined));
    const since = { after: end.number, upTo: Number.MAX_SAFE_INTEGER };
    for (const batch of entriesAfter(journal, since)) addMentions(batch);
    if (numbers.size > 0) forgetEntries(journal, numbers);
    return canSignIn(person.resource, api) && forgetWriter(journal, person.id);
  });
  return { entries: numbers.size, hasWritten };
}

function isDefined(entry: Entry | undefined): entry is Entry {
  return entry !== undefined;
}

/** Deletes the content of entries, their outcomes and their command lines. */
function forgetEntries({ database }: Journal, numbers: ReadonlySet<number>): void {
  addPosition(database);
  const commands = new Set<number>();
  for (const number of numbers) {
    const row = database.get('SELECT command FROM entries WHERE number = ?', number);
    // The entry may have been deleted because of its age.
    if (!row) continue;
    commands.add(Number(row.command));
    database.run("UPDATE entries SET content = NULL, id = NULL, fields = '[]' WHERE number = ?", number);
    database.run('UPDATE outcomes SET content = NULL WHERE number = ?', number);
  }
  for (const id of commands) {
    forgetLine(database, id);
    markChanged(database, id);
  }
}

/** Adds a place, by which copies recognize the changed entries. */
function addPosition(database: Database): void {
  database.run("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'outcomes'");
}

/** Marks the entries of a command as changed at the newest place. */
function markChanged(database: Database, command: number): void {
  database.run(
    `UPDATE entries SET forgotten_place = (SELECT seq FROM sqlite_sequence WHERE name = 'outcomes')
     WHERE command = ?`,
    command,
  );
}

/** Deletes the command line of a command. */
export function forgetLine(database: Database, id: number): void {
  const { content } = database.get('SELECT content FROM commands WHERE id = ?', id) ?? {};
  const command = content == null ? {} : parseJsonCell(content, database, isCommandContent);
  const remainingContent = JSON.stringify({ ...command, line: forgottenLine });
  database.run('UPDATE commands SET content = ? WHERE id = ?', remainingContent, id);
}

/** Returns whether the records of a resource are users who sign in. */
function canSignIn({ name }: Resource, api: Api): boolean {
  return api.resources.some(({ fields }) =>
    Object.values(fields).some(({ traits }) => traits.defaultsToSignedInUser && traits.target === name),
  );
}

/** Deletes the user from the commands that the user has sent. Returns whether there are any. */
function forgetWriter({ database }: Journal, id: string): boolean {
  const sql = "SELECT id FROM commands WHERE json_valid(content) AND json_extract(content, '$.user.id') = ?";
  const commands = database.all(sql, id).map((row) => Number(row.id));
  if (commands.length > 0) addPosition(database);
  for (const command of commands) {
    database.run("UPDATE commands SET content = json_remove(content, '$.user') WHERE id = ?", command);
    markChanged(database, command);
  }
  return commands.length > 0;
}
