/** Defines the global flags, which may be anywhere on the command line. */
import { Option } from 'commander';
import { formatNames } from '../../account/settings/format-names.ts';
import type { Globals } from '../context/context.ts';

/** The global flags in commander's notation. Scripts depend on them: add flags, but don't rename them. */
const globalFlags = [
  ['-o, --output <format>', formatNames.join(', ')],
  ['--json', 'same as -o json'],
  ['--output-text <field>', 'print only this field, a line for each record'],
  ['--profile <name>', 'use this profile: a business and environment'],
  ['--sandbox', 'use the embedded sandbox: no account, no network'],
  ['--base-url <url>', 'URL of the service'],
  ['--api-prefix <path>', 'prefix of every path, for example /v5'],
  ['-y, --yes', 'answer yes to confirmations'],
  ['--no-input', 'never prompt'],
  ['--dry-run', 'show what would be sent, without sending it'],
  ['--offline', "with --dry-run: don't read anything either"],
  ['--unchecked', 'skip validation before sending'],
  ['--strict-values', 'refuse values that neither boh nor the account knows'],
  ['--timeout <seconds>', 'time limit for each request'],
  ['--deadline <seconds>', 'time limit for the whole command'],
  ['-q, --quiet', 'print only results and errors'],
  ['-v, --verbose', 'show each request, with secrets redacted'],
  ['--no-color', 'disable colors'],
  ['--copy', 'also copy the result to the clipboard'],
  ['--no-pager', "don't page long results"],
] as const;

/** The global flags as options. Only `boh --help` lists them. */
export const globalOptions: readonly Option[] = globalFlags.map(([flags, about]) => new Option(flags, about));

/** The flag `--help`, which every command has. */
export const helpOption = new Option('-h, --help', 'show this help');
/** The flag `--version` of `boh` itself. */
export const versionOption = new Option('--version', 'print the version');

/** Returns the lines of `boh --help` that list the global flags. */
export function formatGlobalFlags(): string {
  return [...globalOptions, helpOption, versionOption]
    .map(({ flags, description }) => `  ${flags.padEnd(24)}${description}`)
    .join('\n');
}

/** Returns the values of the global flags of a command line. If a flag is repeated, its last value is used. */
export function globalValues(flags: readonly { option: Option; value: string | undefined }[]): Globals {
  const parsedGlobalFlags = flags.filter(({ option }) => globalOptions.includes(option));
  const values = parsedGlobalFlags.flatMap(({ option, value }) => [
    [option.attributeName(), value ?? !option.negate],
    ...(option.long === '--json' ? [['output', 'json']] : []),
  ]);
  return Object.fromEntries(values);
}
