/** Every command line that a hint in src/ contains is valid, and repeats the flags that it needs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { type CommandLine, optionsOf, parseCommandLine } from '../../src/cli/commands/line/command-line.ts';
import { loadNamedCommand } from '../../src/cli/commands/named-command.ts';
import { pictureVerbsOf } from '../../src/cli/commands/resource-verbs.ts';
import type { Context } from '../../src/cli/context/context.ts';
import { runBoh } from '../harness/run-boh.ts';

/** A node of a syntax tree. The other keys depend on the type. */
interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** A call of a function that creates a command line. */
interface SuggestedCommand {
  location: string;
  helper: 'plain' | 'account' | 'mirror' | 'profile' | 'forProfile' | 'help';
  command: string;
  args: string[];
}

const source = join(import.meta.dirname, '../../src');

/** The placeholder for a part of a word that is computed at run time. */
const placeholder = '\0';

const suggestions = globSync('**/*.ts', { cwd: source }).sort().flatMap(suggestionsIn);

function suggestionsIn(file: string): SuggestedCommand[] {
  const text = readFileSync(join(source, file), 'utf8');
  if (!text.includes('boh.')) return [];
  const calls = nodesIn(parseSync(file, text).program).filter(({ type }) => type === 'CallExpression');
  return calls.flatMap((call) => {
    const callee = call.callee as Node & { object?: { name?: string }; property?: { name: string } };
    if (callee.object?.name !== 'boh') return [];
    const helper = callee.property?.name as SuggestedCommand['helper'];
    const words = (call.arguments as Node[]).slice(helper === 'forProfile' ? 1 : 0).flatMap(wordsOf);
    const [command = '', ...args] = helper === 'help' ? [...words, '--help'] : words;
    return [
      { location: `src/${file}:${text.slice(0, call.start).split('\n').length}`, helper, command, args },
    ];
  });
}

function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const children = Object.values(value).flatMap(nodesIn);
  return 'type' in value ? [value as Node, ...children] : children;
}

/** Returns the words of an argument. A spread list has several words, and can depend on a condition. */
function wordsOf(node: Node): string[] {
  if (node.type === 'Literal') return [String(node.value)];
  if (node.type === 'TemplateLiteral') {
    return [
      (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(placeholder),
    ];
  }
  if (node.type !== 'SpreadElement') return [placeholder];
  const lists = nodesIn(node.argument).filter(({ type }) => type === 'ArrayExpression');
  return lists.length === 0
    ? [placeholder]
    : lists.flatMap(({ elements }) => (elements as Node[]).flatMap(wordsOf));
}

/** Returns the words of a valid command line, with examples for the placeholders. */
function wordsFor({ command, args }: SuggestedCommand): string[] {
  const name =
    command === placeholder
      ? 'suppliers list'
      : command.replace(`${placeholder} ${placeholder}`, 'suppliers update');
  return [
    ...name.replace(placeholder, resourceWith(name.split(' ')[1])).split(' '),
    ...args.map((word) => word.replace(`--${placeholder}`, '--name').replace(placeholder, 'WORD')),
  ].filter((word) => word !== '');
}

/** Returns a resource with this verb: only some have pictures. */
function resourceWith(verb: string | undefined): string {
  const owner = api.collections.find((resource) =>
    pictureVerbsOf(resource).some(({ name }) => name === verb),
  );
  return owner?.command ?? 'suppliers';
}

async function lineOf(words: readonly string[]): Promise<CommandLine> {
  const named = await loadNamedCommand(handWritten, words, { api } as Context);
  return parseCommandLine(words, named?.command, named);
}

test('the source contains many command lines', () => {
  expect(suggestions.length).toBeGreaterThan(150);
});

describe.each(
  suggestions.map(
    (suggestion) => [`boh ${wordsFor(suggestion).join(' ')}`, suggestion.location, suggestion] as const,
  ),
)('%s in %s', (_, __, suggestion) => {
  test('is a valid command line', async () => {
    const { command, invalidFlags, pending, operands } = await lineOf(wordsFor(suggestion));
    expect(invalidFlags.map(({ name }) => name)).toEqual([]);
    expect(pending).toBeUndefined();
    if (!command || suggestion.args.includes('--help')) return expect(operands).toEqual([]);
    const registeredArguments = command.registeredArguments;
    const maxOperands = registeredArguments.some(({ variadic }) => variadic)
      ? Number.POSITIVE_INFINITY
      : registeredArguments.length;
    expect(operands.length).toBeLessThanOrEqual(maxOperands);
    expect(operands.length).toBeGreaterThanOrEqual(
      registeredArguments.filter(({ required }) => required).length,
    );
  });

  test('is created by the function that repeats the flags of its command', async () => {
    const { command, names } = await lineOf(wordsFor(suggestion));
    const [{ word: firstWord = '' } = {}] = names;
    const namesAccount = ['--profile', '--sandbox', '--from', '--help'].some((flag) =>
      suggestion.args.includes(flag),
    );
    const takesMirror = optionsOf(command).some(({ long }) => long === '--to') && firstWord === 'mirror';
    const allowedHelpers = () => {
      if (namesAccount) return ['plain', 'help'];
      if (takesMirror) return suggestion.args.includes('--to') ? ['account'] : ['mirror'];
      if (firstWord === 'auth') return ['profile'];
      return isIndependent(suggestion) ? ['plain'] : ['account', 'forProfile'];
    };
    expect(allowedHelpers()).toContain(suggestion.helper);
  });
});

/** Commands that don't depend on the account in use. All other commands do. */
const independent = [
  ['--help'],
  ['backup', 'verify'],
  ['completion'],
  ['explain'],
  ['profiles'],
  ['resources'],
  ['runs', 'list'],
  ['sandbox', 'run'],
  ['sandbox', 'snapshot', 'list'],
  ['schema'],
  ['version'],
];

/** Returns whether a command doesn't depend on the account in use, for example a sandbox command with --name. */
function isIndependent(suggestion: SuggestedCommand): boolean {
  const words = wordsFor(suggestion);
  const isOfNamedSandbox = words[0] === 'sandbox' && words.includes('--name');
  return isOfNamedSandbox || independent.some((names) => names.every((name, index) => name === words[index]));
}

test.each([
  'backup verify FOLDER',
  'completion bash',
  'explain customers.name',
  'profiles list',
  'resources',
  'runs list',
  'sandbox run -- true',
  'sandbox snapshot list',
  'schema customers',
  'version',
])('boh %s: needs no account', async (line) => {
  const result = await runBoh(['--profile', 'nobody', '-o', 'json', ...line.split(' ')]);
  expect(result.stderr).not.toMatch(/Profile .* not found/);
});

test.each(['openapi', 'sandbox reset', 'sandbox snapshot save NAME', 'views list'])(
  'boh %s: needs the account, so its profile must exist',
  async (line) => {
    const result = await runBoh(['--profile', 'nobody', '-o', 'json', ...line.split(' ')]);
    expect(result.stderr).toContain('Profile "nobody" not found');
  },
);
