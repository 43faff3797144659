/** The flags that may stand anywhere on the line, and finding the words among them that name the command. */
import { Option } from 'commander';

export interface Globals {
  profile?: string;
  sandbox?: boolean;
  baseUrl?: string;
  apiPrefix?: string;
  yes?: boolean;
  /** False with `--no-input`. */
  input?: boolean;
  dryRun?: boolean;
  unchecked?: boolean;
  timeout?: string;
  quiet?: boolean;
  verbose?: boolean;
  /** False with `--no-color`. */
  color?: boolean;
  output?: string;
  json?: boolean;
  version?: boolean;
}

/** Written as commander takes them; the grammar is a promise, so one may be added and none renamed. */
const globalFlags = [
  ['-o, --output <format>', 'table, json, ndjson, csv, yaml or id'],
  ['--json', 'the same as -o json'],
  ['--profile <name>', 'the business and environment to use'],
  ['--sandbox', 'use the embedded sandbox: no account, no network'],
  ['--base-url <address>', 'the address of the service'],
  ['--api-prefix <path>', 'what stands before every path, such as /v5'],
  ['-y, --yes', 'answer yes to what would be asked'],
  ['--no-input', 'never ask anything'],
  ['--dry-run', 'show the request and send nothing'],
  ['--unchecked', 'skip the checks that run before sending'],
  ['--timeout <seconds>', 'how long to wait for an answer'],
  ['-q, --quiet', 'only results and failures'],
  ['-v, --verbose', 'show each request, secrets masked'],
  ['--no-color', 'no colours'],
] as const;

/** Hidden from the help of each command: the root help shows them once. */
export function globalOptions(): Option[] {
  return globalFlags.map(([flags, about]) => new Option(flags, about).hideHelp());
}

/** As the root help shows them. */
export function globalFlagLines(): string {
  return globalFlags.map(([flags, about]) => `  ${flags.padEnd(24)}${about}`).join('\n');
}

const takesValue = new Set(
  globalFlags.flatMap(([flags]) => (flags.includes('<') ? (flags.match(/--?[\w-]+/g) ?? []) : [])),
);

/** The first words that are no flags, which name the command, with their places on the line. */
export function commandWords(argv: readonly string[], count: number): { word: string; at: number }[] {
  const words: { word: string; at: number }[] = [];
  for (let at = 0; at < argv.length && words.length < count; at++) {
    const word = argv[at] ?? '';
    if (word === '--') break;
    if (takesValue.has(word)) at++;
    else if (!word.startsWith('-')) words.push({ word, at });
  }
  return words;
}

/** The output that a line asks for, where it could not be parsed as far as its flags. */
export function outputAsked(argv: readonly string[]): string | undefined {
  if (argv.includes('--json')) return 'json';
  const at = argv.findIndex((word) => /^(-o|--output)/.test(word));
  const word = argv[at];
  return word === '-o' || word === '--output' ? argv[at + 1] : word?.replace(/^(-o|--output)=?/, '');
}
