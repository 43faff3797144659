import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, vi } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, type Terminal, terminalTest as test } from '../harness/terminal.ts';

vi.setConfig({ testTimeout: 20_000 });
const demo = startDemo();
afterAll(() => demo.remove());

const { enter, down, tab, space, ctrlC } = keys;

async function answer(
  terminal: Terminal,
  ...answers: [question: string, ...typed: string[]][]
): Promise<void> {
  for (const [question, ...typed] of answers) {
    await terminal.shows(question);
    terminal.types(...typed);
  }
}

describe('a record is found', () => {
  test.each([
    ['half a phone number, of a list longer than a page', 'customers', '51000 huda', 'Huda Al-Amin'],
    ['words in any order, in any case', 'customers', 'AMIN hu', 'Huda Al-Amin'],
    ['a part of its id', 'suppliers', 'lier-1', 'Fresh Farms'],
    ['part of another column', 'suppliers', 'sup-08', 'Oasis Drinks'],
    ['its name as Arabic is typed, whatever the letters are', 'roles', 'مدير الورديه', 'Shift Manager'],
  ])('by %s', async (_, resource, typed, found) => {
    const terminal = demo.terminal(`boh --sandbox ${resource} get -o json --columns name`);
    await answer(terminal, ['type to search', typed], [`❯ ${found}`, tab, enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(`"name": "${found}`);
  });

  test('with what it holds at its side, where the window is wide', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-items get -o id', { columns: 140 });
    await answer(terminal, ['type to search', 'tomatoes'], ['1 in ', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/❯ Tomatoes \(SKU-001\) +\| id: +inventory-item-1/);
    expect(terminal.text()).toMatch(/\| category: +Vegetables/);
  });
});

test('rows are read on as one goes down, and nothing ends without a word', async () => {
  const terminal = demo.terminal('boh --sandbox customers get -o id');
  expect(await terminal.shows('of 200')).toContain('50');
  terminal.types(down.repeat(45));
  await terminal.shows('100 of 200');
  terminal.types(ctrlC);
  expect(await terminal.ended()).toBe(130);
});

describe('a name that no record bears', () => {
  test('opens the list with what was typed', async () => {
    const terminal = demo.terminal('boh --sandbox customers get @huda -o json --columns name');
    await answer(terminal, ['Which one? huda'], ['❯ Huda Al-Amin', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('"name": "Huda Al-Amin"');
  });

  test('is asked back where nobody can be asked', async () => {
    for (const flags of ['--no-input', '--yes']) {
      const terminal = demo.terminal(`boh --sandbox customers get @huda ${flags}`);
      expect(await terminal.ended()).toBe(5);
      expect(terminal.text()).toContain('Did you mean Huda Al-Amin (510000000)?');
    }
  });

  test('fails at once where nothing is like it', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers get @nobody-is-called-so');
    expect(await terminal.ended()).toBe(5);
    expect(terminal.text()).not.toContain('Which one?');
  });
});

describe('only records that fit', () => {
  test('are offered: tags are for one kind of record each', async () => {
    const terminal = demo.terminal('boh --sandbox customers update customer-1', { lines: 40 });
    await answer(terminal, ['What to change', 'tags', enter], ['chosen · ']);
    await terminal.shows('Enter when you are done');
    const all = await demo.json<{ name: string; type: number }[]>('tags list');
    terminal.types(ctrlC);
    await terminal.ended();
    const text = terminal.text();
    for (const { name, type } of all) {
      if (type !== 1) expect(text.slice(text.lastIndexOf('? Tags'))).not.toContain(`◯ ${name} (`);
    }
  });

  test('are there to be restored, or a sentence says that there are none', async () => {
    const all = await demo.json<{ id: string; deleted_at: string | null }[]>('taxes list --is-deleted true');
    const deleted = all.filter(({ deleted_at }) => deleted_at !== null).map(({ id }) => id);
    const some = demo.terminal('boh --sandbox taxes restore');
    await answer(some, ['Which tax to restore?'], ['❯ ', enter]);
    expect(await some.ended()).toBe(0);
    await demo.boh(`taxes restore ${deleted.join(' ')} --yes`);
    const none = demo.terminal('boh --sandbox taxes restore');
    expect(await none.ended()).toBe(5);
    expect(none.text()).toContain('There is no deleted tax to restore.');
  });
});

test('branches are chosen by name, several with Space', async () => {
  const terminal = demo.terminal(
    'boh --sandbox delivery-zones update ZONE --dry-run'.replace('ZONE', '@ZONE-NORTH'),
  );
  await answer(
    terminal,
    ['What to change', 'branches', enter],
    ['◉ ', 'old', space, enter],
    ['Send this change', enter],
  );
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toMatch(/Branches: +[+-] Old Town/);
});

test('a list that breaks off says so below it, and typing goes on', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.statusCode = 503;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: `http://127.0.0.1:${port}` };
  const terminal = demo.terminal('boh suppliers get', { env });
  await answer(terminal, ['Which supplier to show?', 'far']);
  await terminal.shows('? Which supplier to show? far');
  expect(terminal.text()).not.toContain('warning');
  terminal.types(ctrlC);
  expect(await terminal.ended()).toBe(130);
  expect(requests).toBeGreaterThan(0);
  server.close();
});
