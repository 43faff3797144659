import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/api/contract/field.ts';
import { operation, operations } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { users } from '../../src/api/resources/users.ts';
import { formatCommandLine } from '../../src/cli/input/command-line.ts';
import { fc } from '../harness/fast-check.ts';
import { runBoh } from '../harness/run-boh.ts';

/** Returns the words of a command line, as a shell splits it. */
function wordsOf(line: string): string[] {
  const script = `printf '%s\\0' ${line.replace(/^boh /, '')}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

async function bodyOf(line: string): Promise<unknown> {
  const result = await runBoh([...wordsOf(line), '--dry-run'], {
    env: { BOH_BASE_URL: 'http://localhost' },
  });
  return result.exitCode === 0 ? JSON.parse(result.stdout).body : result.stderr;
}

/** Returns a value of the field's kind that is hard to quote for a shell. */
function valueToQuote({ kind, traits }: Field): unknown {
  switch (kind) {
    case 'integer':
      return traits.minimum ?? 0;
    case 'decimal':
      return 2.5;
    case 'numeric_text':
      return '07.50';
    case 'boolean':
      return false;
    case 'date':
      return '2026-02-28';
    case 'choice':
      return traits.creatable?.[0] ?? Object.values(traits.words ?? {}).at(-1);
    case 'integers':
      return Object.values(traits.words ?? {});
    case 'hour':
      return 9;
    case 'words':
      return traits.allowed?.slice(0, 2);
    case 'ids':
      return ['a"b', 'Last, First'];
    case 'objects':
      return [{ name: '-it\'s "so"', price: 0.5 }];
    case 'many':
      if (traits.pivot?.order_unit)
        return [{ id: 'a"b', order_unit: 'box, big', order_to_storage_factor: 2 }];
      return traits.amountField
        ? [
            { id: 'a b', [traits.amountField]: 0.5 },
            { id: '"a", b=1', [traits.amountField]: 2 },
          ]
        : [{ id: 'a"b' }, { id: 'Last, First' }, { id: ' "c" ' }];
    case 'ring':
      return [46.5, 24.5];
    default:
      return `-it's "so" \`$HOME\` \\ !\n${traits.description}`;
  }
}

/** Returns the names in the words of several command lines, which have --name NAME, --name=NAME or --data. */
function namesIn(words: readonly string[]): unknown[] {
  const names: unknown[] = [];
  for (let index = 'boh suppliers update 1'.split(' ').length; index < words.length; index += 5) {
    const [flag = '', value = ''] = words.slice(index);
    if (flag.startsWith('--name=')) names.push(flag.slice('--name='.length));
    else names.push(flag === '--data' ? JSON.parse(value).name : value);
    if (!flag.startsWith('--name=')) index++;
  }
  return names;
}

describe('formatCommandLine', () => {
  const writes = api.collections
    .flatMap(operations)
    .filter(({ body, effect }) => body.length > 0 && effect !== 'act');

  test.each(writes.map((write) => [`${write.resource.command} ${write.verb}`, write] as const))(
    '%s: repeats the request',
    async (_, write) => {
      const fieldsWithFlags = write.body.filter(({ field }) => !field.traits.secret);
      const body = Object.fromEntries(fieldsWithFlags.map(({ name, field }) => [name, valueToQuote(field)]));
      const ids = ["an'id", "it's"].slice(0, write.params.length);
      expect(await bodyOf(formatCommandLine({}, write, ids, body))).toEqual(body);
    },
  );

  const update = operation(suppliers, 'update');
  if (!update) throw new Error('suppliers can be updated');

  test('any text: is quoted so that the shell returns it unchanged', () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 20 })
      .filter((name) => name !== '' && !name.includes('\0') && name.isWellFormed());
    fc.assert(
      fc.property(fc.array(text, { minLength: 50, maxLength: 50 }), (names) => {
        const line = names.map((name) => formatCommandLine({}, update, ['1'], { name })).join(' ');
        expect(namesIn(['boh', ...wordsOf(line)])).toEqual(names);
      }),
      { numRuns: 5 },
    );
  });

  test("null: uses --clear; a value that flags can't express: uses --data", async () => {
    const body = { phone: null, tags: [{ id: 'a', until: 1 }] };
    const line = formatCommandLine({}, update, ['1'], body);
    expect(line).toBe(`boh suppliers update 1 --clear phone --data '{"tags":[{"id":"a","until":1}]}'`);
  });

  test('any list: is quoted so that it is parsed back unchanged', async () => {
    const id = fc.string({ unit: fc.constantFrom('a', ',', '"', '@', '=', ' ', "'", '\\'), minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(id, { minLength: 1, maxLength: 4 }), async (ids) => {
        const body = { tags: ids.map((text) => ({ id: `x${text}` })) };
        expect(await bodyOf(formatCommandLine({}, update, ['1'], body))).toEqual(body);
      }),
      { numRuns: 10 },
    );
  });

  test('empty list: uses --clear; empty text: uses --data', async () => {
    const body = { name: 'A', phone: '', tags: [] };
    const line = formatCommandLine({}, update, ['1'], body);
    expect(line).toBe(`boh suppliers update 1 --name A --clear tags --data '{"phone":""}'`);
    expect(await bodyOf(line)).toEqual(body);
  });

  test('ID that starts with a dash: is placed after --', () => {
    expect(formatCommandLine({}, update, ['--all'], { name: 'x' })).toBe(
      'boh suppliers update --name x -- --all',
    );
  });

  test('secret: uses --ask', () => {
    const create = operation(users, 'create');
    if (!create) throw new Error('users can be created');
    const line = formatCommandLine({}, create, [], { name: 'Sara', pin: '4821', password: 'hunter2' });
    expect(line).toBe('boh users create --name Sara --ask pin,password');
  });

  test('--sandbox and --profile: are repeated', () => {
    const globals = { sandbox: true, profile: 'my shop', yes: true, output: 'json' };
    expect(formatCommandLine(globals, update, ['1'])).toBe(
      'boh --sandbox --profile "my shop" suppliers update 1',
    );
  });
});
