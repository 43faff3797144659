/** Finds the candidates at the cursor: commands, flags or values. */
import type { Option } from 'commander';
import type { Api } from '../../contract/api.ts';
import type { HandWritten } from '../hand-written.ts';
import { BooleanOption, readFlags, takesValue } from '../line/read-line.ts';
import { referenceCommands } from '../reference-names.ts';
import { type Candidate, withPrefix } from './candidate.ts';
import type { Line } from './line.ts';
import type { Sources } from './sources.ts';

/** Returns the candidates for the word at the cursor. */
export async function candidatesFor(
  line: Line,
  current: string,
  sources: () => Promise<Sources>,
  { api, handWritten }: { api: Api; handWritten: readonly HandWritten[] },
): Promise<readonly Candidate[]> {
  const { command, options, pending, positionals, isEnded } = line;
  if (pending) return (await sources()).forOption(pending)(current);
  if (current.startsWith('-') && !isEnded) {
    const { option, value } = readFlags(current, options).at(-1) ?? {};
    if (!option || value === undefined || !takesValue(option)) return flags(line);
    const { forOption } = await sources();
    return withPrefix(current.slice(0, current.length - value.length), await forOption(option)(value));
  }
  if (!command) return commands(api, handWritten);
  if (command.commands.length > 0 && positionals.length === 0) {
    return command.commands.map((below) => ({ value: below.name(), about: below.summary() }));
  }
  return (await sources()).forArgument(positionals.length)(current);
}

function commands(api: Api, handWritten: readonly HandWritten[]): Candidate[] {
  return [
    ...api.resources.map(({ command, summary }) => ({ value: command, about: summary })),
    ...handWritten
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary }) => ({ value: name, about: summary })),
    ...referenceCommands(api).map((name) => ({ value: name, about: 'Known records' })),
  ];
}

/** Returns the flags that aren't given yet, and repeatable ones. */
function flags({ options, given }: Line): Candidate[] {
  return options
    .filter(({ long, parseArg }) => parseArg !== undefined || !given.has(long ?? ''))
    .flatMap(spellings);
}

function spellings(option: Option): Candidate[] {
  const { long, description: about } = option;
  if (!long) return [];
  return option instanceof BooleanOption
    ? [
        { value: long, about },
        { value: `--no-${long.slice(2)}`, about },
      ]
    : [{ value: long, about }];
}
