/** Validates the JSON that a command line printed with the schemas of `boh schema output`. */
import { outputSchemas } from '../../src/cli/commands/output-schemas.ts';
import type { BohResult } from './run-boh.ts';

/** Flags that change what is printed. */
const layoutFlags = ['--open', '--columns', '--query', '--raw', '--output-text', '--help', '-h', '--sarif'];
/** Subcommands that print something else than their command. */
const withoutSchema = ['history verify', 'history prune', 'history forget', 'backup verify'];
const flagsWithValue = [
  '--profile',
  '--base-url',
  '--api-prefix',
  '-o',
  '--output',
  '--timeout',
  '--deadline',
];

/** Throws if the result doesn't match the schemas of its command line. */
export function validateOutput(argv: readonly string[], { stdout, stderr }: BohResult): void {
  const problems = [
    ...entriesOf(stderr.trimEnd().split('\n').at(-1) ?? '').flatMap((value) => [
      ...check('error', (value as { error?: unknown }).error),
      ...check('done', (value as { done?: unknown }).done),
    ]),
    ...(hasOwnLayout(argv) ? [] : entriesOf(stdout).flatMap((value) => check(outputOf(argv, value), value))),
  ];
  if (problems.length > 0)
    throw new Error(`boh ${argv.join(' ')}: ${problems.join('; ')}\n${stdout}${stderr}`);
}

function check(name: string | undefined, value: unknown): string[] {
  if (name === undefined || value === undefined) return [];
  const { error } = outputSchemas[name]?.schema.safeParse(value) ?? {};
  return error ? [`the output isn't a valid "${name}": ${error.message}`] : [];
}

function hasOwnLayout(argv: readonly string[]): boolean {
  const format = argv.findLast((_, index) => ['-o', '--output'].includes(argv[index - 1] ?? ''));
  return argv.some((word) => layoutFlags.includes(word)) || !['json', 'ndjson'].includes(format ?? 'json');
}

/** Returns the name of the output of a command line for one of its entries; undefined if it has no schema. */
function outputOf(argv: readonly string[], value: object): string | undefined {
  if ('line' in value && 'action' in value) return 'row';
  if ('method' in value && 'url' in value && argv.includes('--dry-run')) return 'request';
  if (argv.includes('--stream')) return 'mirror-change';
  const words = commandWords(argv);
  if (withoutSchema.includes(words.slice(0, 2).join(' '))) return undefined;
  const matches = Object.entries(outputSchemas).flatMap(([name, { commands }]) =>
    commands
      .filter((command) => command.split(' ').every((word, index) => word === words[index]))
      .map((command) => ({ name, length: command.length })),
  );
  const [best] = matches.sort((a, b) => b.length - a.length);
  if (best?.name === 'row') return undefined;
  return (
    best?.name ??
    (['delete', 'restore'].includes(words[1] ?? '') && 'action' in value ? 'outcome' : undefined)
  );
}

/** Returns the words before the first flag of the command. */
function commandWords(argv: readonly string[]): readonly string[] {
  const start = argv.findIndex(
    (word, index) => !word.startsWith('-') && !flagsWithValue.includes(argv[index - 1] ?? ''),
  );
  if (start === -1) return [];
  const end = argv.findIndex((word, index) => index > start && word.startsWith('-'));
  return argv.slice(start, end === -1 ? undefined : end);
}

/** Returns the objects in JSON or NDJSON; none for other text. */
function entriesOf(text: string): object[] {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  try {
    const value: unknown = JSON.parse(text);
    return [value].flat().filter(isObject);
  } catch {
    return text.split('\n').flatMap((line) => {
      try {
        return line.startsWith('{') ? [JSON.parse(line)].filter(isObject) : [];
      } catch {
        return [];
      }
    });
  }
}
