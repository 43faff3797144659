/** Lets the user choose a write of the history, or a command or run with its writes, on the terminal. */
import { Failure } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Entry } from '../../history/journal/entry.ts';
import { entries } from '../../history/journal/reading.ts';
import { pick } from '../../prompts/terminal/prompts.ts';
import { type Choice, fixedEntries } from '../../prompts/terminal/questions.ts';
import { numeral } from '../../terminal/numeral.ts';
import type { OpenHistory } from './open-history.ts';
import { shownEntry, whatOf } from './shown-entry.ts';

/** The newest writes that are offered; older ones are named by their number. */
const maxOffered = 500;

/** Asks for one write. Returns its number. */
export async function pickWrite(history: OpenHistory | undefined, context: Context): Promise<string> {
  const choices = newest(history).map((entry): Choice<string> => {
    const { at, user, profile, fields, outcome } = shownEntry(entry);
    const what = [whatOf(entry, context.api), fields.join(', ')].filter(Boolean).join(': ');
    return {
      value: String(entry.number),
      key: String(entry.number),
      label: `${entry.number}  ${at}  ${what}${outcome === 'done' ? '' : ` (${outcome})`}`,
      description: entry.command?.line ?? '',
      searchText: `${user ?? ''} ${profile ?? ''} ${entry.command?.line ?? ''}`,
    };
  });
  return chosen(choices, 'Which write?', context);
}

/** Asks for a command or run that wrote something. Returns its run. */
export async function pickWrites(history: OpenHistory | undefined, context: Context): Promise<string> {
  const done = newest(history).filter(({ outcome }) => outcome !== 'refused');
  const runs = Map.groupBy(done, ({ run }) => run);
  const choices = [...runs].flatMap(([run, [first, ...others]]): Choice<string>[] => {
    if (!first) return [];
    const { at, user, profile, command } = shownEntry(first);
    const count = others.length + 1;
    const what = count === 1 ? whatOf(first, context.api) : `${numeral(count)} writes`;
    return [
      {
        value: run,
        key: run,
        label: `${at}  ${what}${command === null || count === 1 ? '' : `: ${command}`}`,
        description: command ?? '',
        searchText: `${run} ${user ?? ''} ${profile ?? ''} ${command ?? ''}`,
      },
    ];
  });
  return chosen(choices, 'Which writes to undo?', context);
}

function newest(history: OpenHistory | undefined): Entry[] {
  if (!history) return [];
  return [...entries(history.journal, { accounts: history.accounts }).take(maxOffered)];
}

async function chosen(
  choices: readonly Choice<string>[],
  message: string,
  { streams }: Context,
): Promise<string> {
  if (choices.length === 0) throw new Failure('not_found', 'No writes in the history of this account.');
  return pick(streams, { message, entries: fixedEntries(choices) });
}
