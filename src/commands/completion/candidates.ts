/** Finds the candidates at the cursor: commands, flags or values. */
import type { Option } from 'commander';
import type { Api } from '../../contract/api.ts';
import { BooleanOption } from '../command.ts';
import type { HandWritten } from '../hand-written.ts';
import { parseFlags, takesValue } from '../line/command-line.ts';
import { referenceCommands } from '../reference-names.ts';
import { addPrefix, type Candidate } from './candidate.ts';
import type { PartialCommandLine } from './partial-command-line.ts';
import type { Sources } from './sources.ts';

/** Returns the candidates for the word at the cursor. */
export async function findCandidates(
  commandLine: PartialCommandLine,
  current: string,
  sources: () => Promise<Sources>,
  { api, handWritten }: { api: Api; handWritten: readonly HandWritten[] },
): Promise<readonly Candidate[]> {
  const { command, options, pending, positionals, isEnded } = commandLine;
  if (pending) return (await sources()).forOption(pending)(current);
  if (current.startsWith('-') && !isEnded) {
    const { option, value } = parseFlags(current, options).at(-1) ?? {};
    if (!option || value === undefined || !takesValue(option)) return flagCandidates(commandLine);
    const { forOption } = await sources();
    return addPrefix(current.slice(0, current.length - value.length), await forOption(option)(value));
  }
  if (!command) return commandCandidates(api, handWritten);
  if (command.commands.length > 0 && positionals.length === 0) {
    return command.commands.map((subcommand) => ({ value: subcommand.name(), about: subcommand.summary() }));
  }
  return (await sources()).forArgument(positionals.length)(current);
}

function commandCandidates(api: Api, handWritten: readonly HandWritten[]): Candidate[] {
  return [
    ...api.resources.map(({ command, summary }) => ({ value: command, about: summary })),
    ...handWritten
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary }) => ({ value: name, about: summary })),
    ...referenceCommands(api).map((name) => ({ value: name, about: 'Known records' })),
  ];
}

/** Returns the flags that the command line doesn't have yet, and repeatable flags. */
function flagCandidates({ options, flagValues }: PartialCommandLine): Candidate[] {
  return options
    .filter(({ long, parseArg }) => parseArg !== undefined || !flagValues.has(long ?? ''))
    .flatMap(spellingsOf);
}

function spellingsOf(option: Option): Candidate[] {
  const { long, description: about } = option;
  if (!long) return [];
  return option instanceof BooleanOption
    ? [
        { value: long, about },
        { value: `--no-${long.slice(2)}`, about },
      ]
    : [{ value: long, about }];
}
