/** Every command line that a hint in src/ names is one that the program takes, with the flags that it needs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';
import { handWritten } from '../../src/commands/index.ts';
import { type CommandLine, optionsOf, parseCommandLine } from '../../src/commands/line/command-line.ts';
import { namedCommand } from '../../src/commands/named-command.ts';
import type { Context } from '../../src/context/context.ts';
import { api } from '../../src/resources/index.ts';
import { runBoh } from '../harness/run-boh.ts';

/** A node of a syntax tree; its other keys depend on its type. */
interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** A call of one of the functions that make command lines. */
interface Suggested {
  place: string;
  made: 'plain' | 'account' | 'mirror' | 'profile' | 'of' | 'help';
  command: string;
  args: string[];
}

const source = join(import.meta.dirname, '../../src');

/** Stands for a part of a word that is known only when the program runs. */
const open = '\0';

const suggested = globSync('**/*.ts', { cwd: source }).sort().flatMap(suggestedIn);

function suggestedIn(file: string): Suggested[] {
  const text = readFileSync(join(source, file), 'utf8');
  if (!text.includes('boh.')) return [];
  const calls = nodesIn(parseSync(file, text).program).filter(({ type }) => type === 'CallExpression');
  return calls.flatMap((call) => {
    const callee = call.callee as Node & { object?: { name?: string }; property?: { name: string } };
    if (callee.object?.name !== 'boh') return [];
    const made = callee.property?.name as Suggested['made'];
    const words = (call.arguments as Node[]).slice(made === 'of' ? 1 : 0).flatMap(wordsOf);
    const [command = '', ...args] = made === 'help' ? [...words, '--help'] : words;
    return [{ place: `src/${file}:${text.slice(0, call.start).split('\n').length}`, made, command, args }];
  });
}

function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(nodesIn);
  return 'type' in value ? [value as Node, ...below] : below;
}

/** The words of an argument: several where a list is spread, which may depend on a condition. */
function wordsOf(node: Node): string[] {
  if (node.type === 'Literal') return [String(node.value)];
  if (node.type === 'TemplateLiteral') {
    return [(node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(open)];
  }
  if (node.type !== 'SpreadElement') return [open];
  const lists = nodesIn(node.argument).filter(({ type }) => type === 'ArrayExpression');
  return lists.length === 0 ? [open] : lists.flatMap(({ elements }) => (elements as Node[]).flatMap(wordsOf));
}

/** The line as it could be: of a resource with such a verb, and with a flag and values that it takes. */
function wordsFor({ command, args }: Suggested): string[] {
  const name = command === open ? 'suppliers list' : command.replace(`${open} ${open}`, 'suppliers update');
  return [
    ...name.replace(open, 'suppliers').split(' '),
    ...args.map((word) => word.replace(`--${open}`, '--name').replace(open, 'WORD')),
  ].filter((word) => word !== '');
}

async function lineOf(words: readonly string[]): Promise<CommandLine> {
  const found = await namedCommand(handWritten, words, { api } as Context);
  return parseCommandLine(words, found?.command, found);
}

test('the source contains many command lines', () => {
  expect(suggested.length).toBeGreaterThan(150);
});

describe.each(suggested.map((each) => [`boh ${wordsFor(each).join(' ')}`, each.place, each] as const))(
  '%s in %s',
  (_, __, each) => {
    test('is accepted by the line reader', async () => {
      const { command, invalidFlags: wrong, pending, operands } = await lineOf(wordsFor(each));
      expect(wrong.map(({ name }) => name)).toEqual([]);
      expect(pending).toBeUndefined();
      if (!command || each.args.includes('--help')) return expect(operands).toEqual([]);
      const taken = command.registeredArguments;
      const most = taken.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : taken.length;
      expect(operands.length).toBeLessThanOrEqual(most);
      expect(operands.length).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
    });

    test('repeats the flags that its command accepts', async () => {
      const { command, names } = await lineOf(wordsFor(each));
      const [{ word: first = '' } = {}] = names;
      const namesAccount = ['--profile', '--sandbox', '--from', '--help'].some((flag) =>
        each.args.includes(flag),
      );
      const takesMirror = optionsOf(command).some(({ long }) => long === '--to') && first === 'mirror';
      const needs = () => {
        if (namesAccount) return ['plain', 'help'];
        if (takesMirror) return each.args.includes('--to') ? ['account'] : ['mirror'];
        if (first === 'auth') return ['profile'];
        return isIndependent(each) ? ['plain'] : ['account', 'of'];
      };
      expect(needs()).toContain(each.made);
    });
  },
);

/** Commands that work the same whichever account is in use; all others need the account. */
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

/** A command of a sandbox that is named needs no account either. */
function isIndependent(each: Suggested): boolean {
  const words = wordsFor(each);
  const isOfNamedSandbox = words[0] === 'sandbox' && words.includes('--name');
  return isOfNamedSandbox || independent.some((names) => names.every((name, at) => name === words[at]));
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
  const ran = await runBoh(['--profile', 'nobody', '-o', 'json', ...line.split(' ')]);
  expect(ran.stderr).not.toMatch(/Profile .* not found/);
});

test.each(['openapi', 'sandbox reset', 'sandbox snapshot save NAME', 'views list'])(
  'boh %s: needs the account, as its profile must exist',
  async (line) => {
    const ran = await runBoh(['--profile', 'nobody', '-o', 'json', ...line.split(' ')]);
    expect(ran.stderr).toContain('Profile "nobody" not found');
  },
);
