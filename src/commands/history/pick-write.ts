/** Prompts for a write of the history, or for a command or run with its writes. */
import { Failure } from '../../base/errors.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Entry } from '../../history/journal/entry.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { entries } from '../../history/journal/reading.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import type { Choice } from '../../prompts/terminal/questions.ts';
import { describeWrite, entryToJson } from './entry-json.ts';

/** Maximum number of writes in a prompt, newest first. Older writes can be named by their number. */
const maxPromptEntries = 500;

/** Prompts for a write. Returns its number. */
export async function pickWrite(journal: Journal | undefined, context: Context): Promise<string> {
  const choices = newestEntries(journal).map((entry): Choice<string> => {
    const { at, user, profile, fields, outcome } = entryToJson(entry);
    const description = [describeWrite(entry, context.api), fields.join(', ')].filter(Boolean).join(': ');
    return {
      value: String(entry.number),
      key: String(entry.number),
      label: `${entry.number}  ${at}  ${description}${outcome === 'done' ? '' : ` (${outcome})`}`,
      description: entry.command?.line ?? '',
      searchText: `${user ?? ''} ${profile ?? ''} ${entry.command?.line ?? ''}`,
    };
  });
  return pickFrom(choices, 'Which write to show?', context);
}

/** Prompts for a command or run that changed records. Returns the ID of its run. */
export async function pickRecordedRun(journal: Journal | undefined, context: Context): Promise<string> {
  const sentWrites = newestEntries(journal).filter(({ outcome }) => outcome !== 'refused');
  const runs = Map.groupBy(sentWrites, ({ run }) => run);
  const choices = [...runs].flatMap(([run, [first, ...otherWrites]]): Choice<string>[] => {
    if (!first) return [];
    const { at, user, profile, command } = entryToJson(first);
    const count = otherWrites.length + 1;
    const description = count === 1 ? describeWrite(first, context.api) : `${formatCount(count)} writes`;
    return [
      {
        value: run,
        key: run,
        label: `${at}  ${description}${command === null || count === 1 ? '' : `: ${command}`}`,
        description: command ?? '',
        searchText: `${run} ${user ?? ''} ${profile ?? ''} ${command ?? ''}`,
      },
    ];
  });
  return pickFrom(choices, 'Which writes to undo?', context);
}

function newestEntries(journal: Journal | undefined): Entry[] {
  return journal ? [...entries(journal, {}).take(maxPromptEntries)] : [];
}

async function pickFrom(
  choices: readonly Choice<string>[],
  message: string,
  { streams }: Context,
): Promise<string> {
  if (choices.length === 0) throw new Failure('not_found', 'No writes in the history of this account.');
  return (await promptsFor(streams)).pick({ message, entries: choices });
}
