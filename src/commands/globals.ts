/** The flags that may stand anywhere on the line. */
import { Option } from 'commander';
import type { Globals } from '../context/context.ts';
import { formatNames } from '../terminal/formats/index.ts';

/** Written as commander takes them; the grammar is a promise, so one may be added and none renamed. */
const globalFlags = [
  ['-o, --output <format>', formatNames.join(', ').replace(/, (?=\w+$)/, ' or ')],
  ['--json', 'the same as -o json'],
  ['--profile <name>', 'the business and environment to use'],
  ['--sandbox', 'use the embedded sandbox: no account, no network'],
  ['--base-url <address>', 'the address of the service'],
  ['--api-prefix <path>', 'what stands before every path, such as /v5'],
  ['-y, --yes', 'answer yes to what would be asked'],
  ['--no-input', 'never ask anything'],
  ['--dry-run', 'show what would be sent, once names are looked up'],
  ['--offline', 'with --dry-run: look up no names either'],
  ['--unchecked', 'skip the checks that run before sending'],
  ['--timeout <seconds>', 'how long to wait for an answer'],
  ['--deadline <seconds>', 'how long the whole command may take'],
  ['-q, --quiet', 'only results and failures'],
  ['-v, --verbose', 'show each request, secrets masked'],
  ['--no-color', 'no colours'],
  ['--copy', 'also put the result on the clipboard of the terminal'],
  ['--no-pager', 'long results straight to the terminal'],
] as const;

/** Not part of the help of each command: the root help shows them once. */
export const globalOptions: readonly Option[] = globalFlags.map(([flags, about]) => new Option(flags, about));

export const helpOption = new Option('-h, --help', 'show this help');
export const versionOption = new Option('--version');

/** As the root help shows them. */
export function globalFlagLines(): string {
  return globalFlags.map(([flags, about]) => `  ${flags.padEnd(24)}${about}`).join('\n');
}

/** What the flags of a line say; where one is repeated, the last counts. */
export function globalsFrom(flags: readonly { option: Option; value: string | undefined }[]): Globals {
  const given = flags.filter(({ option }) => globalOptions.includes(option));
  const values = given.flatMap(({ option, value }) => [
    [option.attributeName(), value ?? !option.negate],
    ...(option.long === '--json' ? [['output', 'json']] : []),
  ]);
  return Object.fromEntries(values);
}
