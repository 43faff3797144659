import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter, down, tab, space, ctrlC } = keys;

describe('search for a record', () => {
  test.each([
    ['half a phone number in a list longer than a page', 'customers', '51000 huda', 'Huda Al-Amin'],
    ['a number in local format', 'customers', '051 000', 'Huda Al-Amin'],
    ['a number with its calling code', 'customers', '+966 51000', 'Huda Al-Amin'],
    ['words in any order, in any case', 'customers', 'AMIN hu', 'Huda Al-Amin'],
    ['a part of its ID', 'suppliers', 'lier-1', 'Fresh Farms'],
    ['part of another column', 'suppliers', 'sup-08', 'Oasis Drinks'],
    ['its name in Arabic with variants of letters', 'roles', 'مدير الورديه', 'Shift Manager'],
  ])('by %s: finds it', async (_, resource, input, expectedName) => {
    const terminal = demo.terminal(`boh --sandbox ${resource} get -o json --columns name`);
    await answerPrompts(terminal, ['type to search', input], [`❯ ${expectedName}`, tab, enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(`"name": "${expectedName}`);
  });

  test('by a part of its name in a wide window: shows details beside the list', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-items get -o id', { columns: 140 });
    await answerPrompts(terminal, ['type to search', 'tomatoes'], ['❯ Tomatoes', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/❯ Tomatoes \(SKU-001\) +\| id: +inventory-item-1/);
    expect(terminal.text()).toMatch(/\| category: +Vegetables/);
  });
});

test('a condition or an order in the search field: filters and sorts the records', async () => {
  const terminal = demo.terminal('boh --sandbox inventory-items get -o json --columns name,par_level');
  await answerPrompts(terminal, ['type to search', 'name ~ tomatoes'], ['❯ Tomatoes', '\x15sort:-name']);
  await answerPrompts(terminal, ['60 of 60', enter]);
  expect(await terminal.ended()).toBe(0);
  const items = await demo.json<{ name: string }[]>('inventory-items list --sort -name');
  expect(terminal.text()).toContain(`"name": "${items[0]?.name}"`);
});

test('a list of several pages: reads more pages while the user scrolls, and shows the total', async () => {
  const terminal = demo.terminal('boh --sandbox customers get -o id');
  expect(await terminal.waitFor('of 200')).toContain('50');
  terminal.types(down.repeat(45));
  await terminal.waitFor('100 of 200');
  terminal.types(ctrlC);
  expect(await terminal.ended()).toBe(130);
});

describe('a name that no record has', () => {
  test('opens the list filtered by it', async () => {
    const terminal = demo.terminal('boh --sandbox customers get @huda -o json --columns name');
    await answerPrompts(terminal, ['Which one did you mean? huda'], ['❯ Huda Al-Amin', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('"name": "Huda Al-Amin"');
  });

  test('without a terminal: the error suggests similar records', async () => {
    for (const flags of ['--no-input', '--yes']) {
      const terminal = demo.terminal(`boh --sandbox customers get @huda ${flags}`);
      expect(await terminal.ended()).toBe(5);
      expect(terminal.text()).toContain('Did you mean Huda Al-Amin (510000000)?');
    }
  });

  test('without similar records: fails at once', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers get @no-such-name');
    expect(await terminal.ended()).toBe(5);
    expect(terminal.text()).not.toContain('Which one');
  });
});

describe('selection of records for an action', () => {
  test('tags: shows only the tags of this kind of record', async () => {
    const terminal = demo.terminal('boh --sandbox customers update customer-1', { lines: 40 });
    await answerPrompts(terminal, ['What do you want to change', 'tags', enter], ['chosen: ']);
    await terminal.waitFor('Enter to finish');
    const allTags = await demo.json<{ name: string; type: number }[]>('tags list');
    terminal.types(ctrlC);
    await terminal.ended();
    const text = terminal.text();
    for (const { name, type } of allTags) {
      if (type !== 1) expect(text.slice(text.lastIndexOf('? Tags'))).not.toContain(`◯ ${name} (`);
    }
  });

  test('restore: shows deleted records, or a message that there are none', async () => {
    const taxes = await demo.json<{ id: string; deleted_at: string | null }[]>(
      'taxes list --is-deleted true',
    );
    const deletedIds = taxes.filter(({ deleted_at }) => deleted_at !== null).map(({ id }) => id);
    const firstRestore = demo.terminal('boh --sandbox taxes restore');
    await answerPrompts(firstRestore, ['Which taxes to restore?'], ['❯ ', enter]);
    expect(await firstRestore.ended()).toBe(0);
    await demo.boh(`taxes restore ${deletedIds.join(' ')} --yes`);
    const secondRestore = demo.terminal('boh --sandbox taxes restore');
    expect(await secondRestore.ended()).toBe(5);
    expect(secondRestore.text()).toContain('No deleted taxes to restore.');
  });
});

test('several records: are deleted and restored at once', async () => {
  const deletion = demo.terminal('boh --sandbox suppliers delete');
  await answerPrompts(
    deletion,
    ['Which suppliers to delete?', 'oasis'],
    ['❯ ◯ Oasis Drinks', tab],
    ['1 chosen: Oasis Drinks', 'pack'],
    ['❯ ◯ PackRight', tab],
    ['2 chosen: Oasis Drinks (SUP-08), PackRight', enter],
    ['Delete 2 suppliers?', 'y', enter],
  );
  expect(await deletion.ended()).toBe(0);
  const restore = demo.terminal('boh --sandbox suppliers restore');
  await answerPrompts(
    restore,
    ['❯ ◯ '],
    ['Enter to choose this one', space, down, space],
    ['2 chosen', enter],
  );
  await answerPrompts(restore, ['Restore 2 suppliers?', 'y', enter]);
  expect(await restore.ended()).toBe(0);
  expect((await demo.boh('suppliers get @SUP-08 @SUP-09')).exitCode).toBe(0);
});

test('several records: a name with a space is searched for, and an unnamed record is never chosen', async () => {
  await demo.boh('suppliers create --data {"name":"Al\\u0020Noor"}');
  const terminal = demo.terminal('boh --sandbox suppliers delete');
  await answerPrompts(
    terminal,
    ['Which suppliers to delete?', 'al noor'],
    ['❯ ◯ Al Noor', enter],
    ['Delete supplier "Al Noor'],
  );
  terminal.types('n', enter);
  expect(await terminal.ended()).toBe(130);
  expect(terminal.text()).not.toContain('◉');
});

test('branches: are selected by name, several with Tab', async () => {
  const terminal = demo.terminal(
    'boh --sandbox delivery-zones update ZONE --dry-run'.replace('ZONE', '@ZONE-NORTH'),
  );
  await answerPrompts(
    terminal,
    ['What do you want to change', 'branches', enter],
    ['◉ ', 'old', tab, enter],
    ['Send this change', enter],
  );
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toMatch(/Branches: +[+-] Old Town/);
});

test('a list that cannot be read: typing still works, and no warning interrupts it', async () => {
  let requestCount = 0;
  const server = createServer((_, response) => {
    requestCount++;
    response.statusCode = 503;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: `http://127.0.0.1:${port}` };
  const terminal = demo.terminal('boh suppliers get', { env });
  await answerPrompts(terminal, ['Which supplier to show?', 'far']);
  await terminal.waitFor('? Which supplier to show? far');
  expect(terminal.text()).not.toContain('warning');
  terminal.types(ctrlC);
  expect(await terminal.ended()).toBe(130);
  expect(requestCount).toBeGreaterThan(0);
  server.close();
});

describe('a narrow window', () => {
  test('shows the available keys on lines that fit', async () => {
    const terminal = demo.terminal('boh --sandbox customers get', { columns: 40 });
    await terminal.waitFor('50 of 200 · type to search\nEnter to choose');
    const output = terminal.text().slice(terminal.text().lastIndexOf('? Which'));
    for (const line of output.split('\n')) expect(line.length).toBeLessThan(40);
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });
});

test('typing after a selection: searches for another record', async () => {
  const terminal = demo.terminal('boh --sandbox tax-groups create --dry-run');
  await answerPrompts(
    terminal,
    ['? Name', 'Both', enter],
    ['? Taxes', 'vat'],
    ['❯ ◯ VAT', tab],
    ['1 chosen', 'exc'],
    ['❯ ◯ Drinks Excise', tab],
    ['2 chosen', enter],
    ['Create this', enter],
  );
  expect(await terminal.ended()).toBe(0);
});

test('10,000 records: are searched at each key, during reading and afterwards', async () => {
  const largeDemo = startDemo();
  const file = join(largeDemo.folder, 'customers.csv');
  const rows = Array.from({ length: 10_000 }, (_, index) => `Q${index},966,${560_000_000 + index * 37}`);
  writeFileSync(file, `name,dial_code,phone\n${rows.join('\n')}\n`);
  expect((await largeDemo.boh(`customers import ${file} --mode create --yes -q`)).exitCode).toBe(0);
  const terminal = largeDemo.terminal('boh --sandbox customers get -o json --columns name', {
    columns: 120,
    lines: 40,
  });
  await terminal.waitFor('of 10,200');
  const press = async (key: string, expectedText: string) => {
    terminal.types(key);
    await terminal.waitFor(expectedText);
  };
  // The first keys are typed while the list is read, the others afterwards.
  for (const length of [1, 2, 3, 4, 5])
    await press('q9999'.charAt(length - 1), `to show? ${'q9999'.slice(0, length)}`);
  await terminal.waitFor('❯ Q9999 ');
  await terminal.waitFor('1 of 10,200');
  for (const length of [4, 3, 2]) await press('\x7f', `to show? ${'q9999'.slice(0, length)}`);
  for (const length of [3, 4, 5]) await press('9', `to show? ${'q9999'.slice(0, length)}`);
  await terminal.waitFor('❯ Q9999 ');
  terminal.types(enter);
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toContain('"name": "Q9999"');
  largeDemo.remove();
});
