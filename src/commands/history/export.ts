/** `boh history export`: prints the history as NDJSON, one line for each write. */
import type { Context } from '../../context/context.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { type EntryFilter, entries } from '../../history/journal/reading.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { entryToJson } from './entry-json.ts';
import { openHistory } from './open-history.ts';
import { addFilterOptions, type EntryFilterFlags, parseEntryFilter } from './parse-filter.ts';

/** Returns the command `boh history export`. */
export function exportCommand(context: Context): Command {
  const command = prepare(new Command('export')).description('Print the history as NDJSON, newest first.');
  addFilterOptions(command);
  command.examples(
    'boh history export --since 2026-01-01 > history.ndjson',
    'boh history export --by "Amal Haddad" > amal.ndjson',
  );
  return command.action(createAction(context, (flags: EntryFilterFlags) => run(flags, context)));
}

async function run(flags: EntryFilterFlags, context: Context): Promise<Result> {
  const filter = await parseEntryFilter([], flags, context);
  const journal = await openHistory(context);
  return {
    kind: 'text-stream',
    chunks: exportLines(journal, filter),
    end: () => journal?.close(),
  };
}

async function* exportLines(journal: Journal | undefined, filter: EntryFilter) {
  if (!journal) return;
  for (const entry of entries(journal, filter)) yield `${JSON.stringify(entryToJson(entry))}\n`;
}
