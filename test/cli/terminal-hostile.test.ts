import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { keys, type Terminal, terminalTest as test } from '../harness/terminal.ts';
import { hostileTexts } from '../terminal/fake-streams.ts';

const demo = startDemo();

/** All hostile strings joined, so that one run of each command tests them all. */
const hostile = Object.values(hostileTexts).join(' ');
const supplier = {
  id: '42',
  name: `Farms ${hostile}`,
  code: hostile,
  phone: hostile,
  [`extra ${hostile}`]: hostile,
  tags: [{ id: hostile, name: hostile }],
  items: [{ id: '7', name: hostile, pivot: { order_unit: hostile } }],
};
const refusal = {
  message: hostile,
  errors: { [hostile]: [hostile], name: [`${hostile}\nboh: all is well`] },
};

let service: TestService;
let env: Record<string, string>;
beforeAll(async () => {
  service = await serve({
    'GET /suppliers': { data: [supplier, { ...supplier, id: '43' }] },
    'GET /suppliers/42': { data: supplier },
    'POST /suppliers': [422, refusal],
    'PUT /suppliers/42': [422, refusal],
    'DELETE /suppliers/42': [500, refusal],
    'GET /tags': [400, refusal],
  });
  env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl };
});
afterAll(async () => {
  await service.close();
  demo.remove();
});

/**
 * Matches the parts of `hostileTexts` that must not be printed. Where boh and its prompts print the beginning of
 * such a sequence themselves, it matches the whole sequence.
 */
const forbiddenPattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the subject of the test
  /\x1b\[31mred|\x1b\[2J|\x1b[\]P\\]|[\0\x07\x08\x7f-\x9f]|RISK\r(?!\n)|[\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}\u{2066}-\u{2069}\u{feff}\u{e0001}\u{e0041}]/u;

async function safeText(terminal: Terminal): Promise<string> {
  await terminal.ended();
  expect(terminal.raw().match(forbiddenPattern)).toBeNull();
  return terminal.text();
}

describe('terminal sequences in text of the service', () => {
  test.each(['list', 'list --wide', 'get 42', 'get 42 --columns name,tags.name'])(
    'suppliers %s: shows them escaped',
    async (line) => {
      const text = await safeText(demo.terminal(`boh suppliers ${line}`, { env, columns: 200 }));
      expect(text).toContain('Farms a␛[31mred');
    },
  );

  test.each(['json', 'ndjson', 'yaml', 'csv', 'id'])(
    'suppliers list -o %s: shows them escaped',
    async (format) => {
      const terminal = demo.terminal(`boh suppliers list -o ${format}`, { env });
      expect(await safeText(terminal)).toContain('42');
    },
  );

  test('--raw: prints them escaped in equivalent JSON', async () => {
    const text = await safeText(demo.terminal('boh suppliers get 42 --raw', { env }));
    expect(JSON.parse(text)).toEqual({ data: supplier });
  });

  test('errors: show them escaped, on lines that cannot be mistaken for messages of boh', async () => {
    const text = await safeText(demo.terminal('boh suppliers create --name x', { env }));
    expect(text).toContain('The service refused');
    expect(text).not.toMatch(/^boh: all is well/m);
    await safeText(demo.terminal('boh tags list', { env }));
    await safeText(demo.terminal('boh suppliers get @nobody --verbose', { env }));
  });

  test('questions: show them escaped', async () => {
    const confirm = demo.terminal('boh suppliers delete 42', { env });
    await confirm.waitFor('(y/N)');
    confirm.types('y', keys.enter);
    expect(await safeText(confirm)).toContain('Delete supplier "Farms a␛[31mred');
    const search = demo.terminal('boh suppliers get -o id', { env });
    await search.waitFor('❯ Farms a␛[31mred');
    search.types(keys.enter);
    await safeText(search);
  });

  test('--watch: shows them escaped', async () => {
    const terminal = demo.terminal('exec boh suppliers list --watch', { env });
    await terminal.waitFor('Ctrl-C to stop.');
    terminal.types(keys.ctrlC);
    await safeText(terminal);
  });

  test('--edit: escapes them in the file, and sends them back unchanged', async () => {
    const terminal = demo.terminal('boh suppliers update 42 --edit', { env: { ...env, EDITOR: 'cat' } });
    const text = await safeText(terminal);
    expect(text).toContain('name: "Farms a\\e[31mred');
    expect(text).toContain('No changes');
  });

  test('a pipe: receives them unchanged', async () => {
    const result = await spawnBoh(['suppliers', 'get', '42'], { env });
    expect(JSON.parse(result.stdout)).toEqual(supplier);
    const csv = await spawnBoh(['suppliers', 'get', '42', '-o', 'csv', '--columns', 'name'], { env });
    expect(csv.stdout).toContain('\x1b[31mred');
  });
});
