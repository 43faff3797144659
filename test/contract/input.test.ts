/** Checks input with --data, and invalid input: nothing is sent, and all violations are reported at once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { useRecorder } from '../harness/use-recorder.ts';

const { bodies, boh, folder, targets } = useRecorder();

describe('--data', () => {
  it('is the complete body, which flags override', async () => {
    await boh(['suppliers', 'update', '1', '--data', '{"name":"A","phone":"1"}', '--phone', '2']);
    expect(bodies()).toEqual([{ name: 'A', phone: '2' }]);
  });

  it('is read from a file or standard input', async () => {
    const file = join(folder(), 'supplier.json');
    writeFileSync(file, '\uFEFF{"name":"From a file"}');
    await boh(['suppliers', 'create', '--data', `@${file}`]);
    await boh(['suppliers', 'create', '--data', '-'], { stdin: '{"name":"From a pipe"}' });
    expect(bodies()).toEqual([{ name: 'From a file' }, { name: 'From a pipe' }]);
  });

  it.each([
    ['{"name": "A",\n  "phone": }', 'line 2, column 12'],
    ['{"name": "A"', 'line 1, column 13'],
    ['', 'line 1, column 1'],
    ['{"name": "A",}', 'line 1, column 14'],
  ])('malformed %j: the message contains %s', async (text, position) => {
    const result = await boh(['suppliers', 'create', '--data', text]);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain(position);
    expect(targets()).toEqual([]);
  });

  it.each([
    ['{"name":"A","name":"B"}', 'line 1, column 13: the key "name" occurs twice'],
    ['{"name":"A",\n "tags":[{"id":"a","\\u0069d":"b"}]}', 'line 2, column 20: the key "id" occurs twice'],
    ['{"factor":19.999999999999999}', "line 1, column 11: 19.999999999999999 can't be sent exactly"],
    ['{"a":1,"a":2,"b":12345678901234567890}', 'line 1, column 18: 12345678901234567890'],
  ])(
    'inexact %j: is refused with the positions of all problems, also from standard input and with --unchecked',
    async (text, message) => {
      for (const [data, stdin] of [[text], ['-', text]]) {
        const line = ['inventory-items', 'create', '--unchecked', '--data', data ?? ''];
        const result = await boh(line, { ...(stdin && { stdin }) });
        expect([result.exitCode, failureOf(result).message]).toEqual([2, expect.stringContaining(message)]);
      }
      const apiResult = await boh(['api', 'POST', '/tags', '--data', text]);
      expect([apiResult.exitCode, failureOf(apiResult).message]).toEqual([
        2,
        expect.stringContaining(message),
      ]);
      expect(targets()).toEqual([]);
    },
  );

  it.each(['0x10', '1e5', 'Infinity', ''])('%j for a number in quotes: is refused', async (text) => {
    const result = await boh(['addresses', 'update', '1', '--data', JSON.stringify({ latitude: text })]);
    expect([result.exitCode, Object.keys(failureOf(result).fields ?? {})]).toEqual([2, ['latitude']]);
    const flagResult = await boh(['addresses', 'update', '1', `--latitude=${text}`]);
    expect([flagResult.exitCode, Object.keys(failureOf(flagResult).fields ?? {})]).toEqual([2, ['latitude']]);
    expect(targets()).toEqual([]);
  });

  it('file that is not UTF-8: is refused with the position, and is read with --encoding', async () => {
    const file = join(folder(), 'arabic.json');
    // {"name":"مخبز"} in windows-1256, and in UTF-16 with a byte order mark.
    writeFileSync(
      file,
      Buffer.from([...Buffer.from('{\n"name":"'), 0xe3, 0xce, 0xc8, 0xd2, ...Buffer.from('"}')]),
    );
    const refusedResult = await boh(['suppliers', 'create', '--data', `@${file}`]);
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).message).toContain('it contains 0xE3 at byte 11 (line 2, column 9)');
    expect(failureOf(refusedResult).hint).toContain('--encoding');
    expect(targets()).toEqual([]);
    const utf16 = join(folder(), 'utf-16.json');
    writeFileSync(utf16, Buffer.from('\uFEFF{"name":"مخبز"}', 'utf16le'));
    await boh(['suppliers', 'create', '--data', `@${file}`, '--encoding', 'windows-1256']);
    await boh(['suppliers', 'create', '--data', `@${utf16}`, '--encoding', 'utf-16']);
    await boh(['api', 'POST', '/suppliers', '--data', `@${file}`, '--encoding', 'cp1256']);
    expect(bodies()).toEqual([{ name: 'مخبز' }, { name: 'مخبز' }, { name: 'مخبز' }]);
  });

  it.each([
    ['--data @x --encoding utf-17', 'Unknown encoding "utf-17"'],
    ['--data {} --encoding utf-8', '@FILE'],
    ['--name x --encoding utf-8', '--encoding needs --data'],
  ])('%s: is refused with %s', async (flags, message) => {
    writeFileSync(join(folder(), 'x'), '{}');
    const result = await boh(['suppliers', 'create', ...flags.replace('@x', `@${folder()}/x`).split(' ')]);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(targets()).toEqual([]);
  });

  it('number that is too large: is refused, also with --unchecked', async () => {
    const result = await boh(['suppliers', 'create', '--unchecked', '--data', '{"name":1e999}']);
    expect(result.exitCode).toBe(2);
    expect(targets()).toEqual([]);
  });

  it('invalid fields: all violations are reported at once', async () => {
    const body = { name: 5, email: null, tags: [{ ident: 1 }], nmae: 'x' };
    const result = await boh(['suppliers', 'create', '--data', JSON.stringify(body)]);
    expect(result.exitCode).toBe(2);
    expect(Object.keys(failureOf(result).fields ?? {}).toSorted()).toEqual([
      'email',
      'name',
      'nmae',
      'tags.0.id',
      'tags.0.ident',
    ]);
    expect(targets()).toEqual([]);
  });

  it('--unchecked: the body is sent unchanged', async () => {
    await boh(['suppliers', 'create', '--unchecked', '--data', '{"anything":1}']);
    expect(bodies()).toEqual([{ anything: 1 }]);
  });
});

describe('input refused before sending', () => {
  it.each([
    ['customers update 5 --birth-date 2024-02-30', 'birth_date'],
    ['customers update 5 --dial-code 1.5', 'dial_code'],
    ['customers update 5 --house-account-balance 19.999999999999999', 'house_account_balance'],
    ['inventory-counts update 5 --items a=12345678901234567.8', 'items'],
    ['payment-methods create --name A --type gift-card', 'type'],
    ['timed-events update 5 --type fixed-price --value -1', 'value'],
    ['timed-events update 5 --type price-reduction --value 0', 'value'],
    ['timed-events update 5 --type price-increase-by-percentage --value 100', 'value'],
    ['timed-events update 5 --type 8 --strict-values', 'type'],
    ['tags create --name A --type 8 --strict-values', 'type'],
    ['delivery-zones update 5 --coordinates [[1,2],[3,4],[1,2]]', 'coordinates'],
    ['delivery-zones update 5 --coordinates [[1,2],[3,99],[5,6],[1,2]]', 'coordinates'],
    ['addresses update 5 --latitude 91', 'latitude'],
    ['users update 5 --notifications nothing --strict-values', 'notifications'],
    ['customers list --updated-after yesterday', 'updated_after'],
    ['customers list --include tags.name', 'include'],
  ])('boh %s: reports %s', async (line, field) => {
    const result = await boh(line);
    expect(result.exitCode).toBe(2);
    expect(Object.keys(failureOf(result).fields ?? {})).toEqual([field]);
    expect(targets()).toEqual([]);
  });

  it.each([
    ...[
      '..',
      '.',
      '',
      'a\nb',
      'a b',
      'x'.repeat(2000),
      '../x',
      'a/b',
      'a\\b',
      '?x=1',
      '%2f',
      '..%5Ctags',
      '#',
    ],
  ])('invalid ID %j: nothing is sent', async (id) => {
    for (const verb of ['get', 'delete', 'restore']) {
      const line = ['customers', verb, '1', id, ...(verb === 'get' ? [] : ['--yes'])];
      expect((await boh(line)).exitCode).toBe(2);
    }
    expect(targets()).toEqual([]);
  });
});

describe('error format', () => {
  const lastLine = ({ stderr }: { stderr: string }) => stderr.trimEnd().split('\n').at(-1) ?? '';

  it.each([
    ['tags nonsense -o json', {}, true],
    ['tags nonsense -o table', {}, false],
    ['tags nonsense', { BOH_OUTPUT: 'ndjson' }, true],
    ['tags nonsense', { BOH_OUTPUT: 'csv' }, false],
    ['tags nonsense -o csv', { BOH_OUTPUT: 'json' }, false],
    ['tags nonsense', {}, true],
  ])('boh %s with %j: is JSON: %s', async (line, env, isJson) => {
    const result = await boh(line, { env });
    expect(result.exitCode).toBe(2);
    expect(lastLine(result).startsWith('{"error":{')).toBe(isJson);
  });
});
