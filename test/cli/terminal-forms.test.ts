import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter, down, left, tab, ctrlC } = keys;
const ctrlS = '\x13';

interface Role {
  id: string;
  name: string;
  authorities: string[];
}

describe('update in a form', () => {
  test('begins with the values of the record, and sends only the changes', async () => {
    const before = await demo.json<Role>('roles get role-1');
    expect(before.authorities.length).toBeGreaterThan(2);
    const terminal = demo.terminal('boh --sandbox roles update role-1');
    await answerPrompts(terminal, [
      'What do you want to change in role "Shift Manager" (role-1)?',
      'auth',
      enter,
    ]);
    expect(await terminal.waitFor('chosen')).toContain('❯ ◉ orders:read');
    // Letters search; none of them selects or inverts anything.
    await answerPrompts(terminal, ['', 'inv'], ['◯ inventory_items:read', down, tab, enter]);
    await terminal.waitFor('Send this change');
    expect(await terminal.waitFor('Cancel')).toContain('+ inventory_items:manage');
    terminal.types(enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/Authorities: +\+ inventory_items:manage\n/);
    const after = await demo.json<Role>('roles get role-1');
    expect(after.authorities.toSorted()).toEqual(
      [...before.authorities, 'inventory_items:manage'].toSorted(),
    );
    expect(after).toMatchObject({ name: before.name });
  });

  test('sends no field whose answer did not change, and shows a current yes as the default', async () => {
    const terminal = demo.terminal('boh --sandbox timed-events update "@Happy Hour"', { lines: 40 });
    await answerPrompts(
      terminal,
      ['What do you want to change', 'active', enter],
      ['? Active (Y/n)', enter],
      ['What do you want to change', 'priority', enter],
      ['? Priority', '\x15', '7', enter],
      ['Send this change', enter],
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/boh --sandbox timed-events update "@Happy Hour" --priority 7\n/);
  });

  test('asks for days in one question with the active ones selected', async () => {
    const terminal = demo.terminal('boh --sandbox timed-events update "@Happy Hour"', { lines: 40 });
    await answerPrompts(terminal, ['What do you want to change', 'days', enter]);
    expect(await terminal.waitFor('◉ Friday')).toContain('◉ Sunday');
    await answerPrompts(terminal, ['chosen', 'sun', tab, enter], ['Send this change']);
    expect(await terminal.waitFor('Cancel')).toContain('Sunday yes → no');
    terminal.types(enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/update "@Happy Hour" --no-is-sun\n/);
  });

  test('asks nothing about read-only fields, and exits without a request', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01');
    await answerPrompts(terminal, ['What do you want to change', 'cancel', enter]);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Nothing was sent.');
  });
});

describe('going back in a form', () => {
  test.each([
    ['Esc', keys.escape],
    ['← at the left end', left],
  ])('%s: returns to the previous question with its answer', async (_, key) => {
    const terminal = demo.terminal('boh --sandbox tags create');
    await answerPrompts(
      terminal,
      ['? Name', 'Organc', enter],
      ['? Type', key],
      ['? Name Organc', '\x7f\x7f', 'nic', enter],
      ['? Type', 'cust', enter],
      ['Create this tag?', key],
      ['? Type', 'supp', enter],
      ['Create this tag?'],
    );
    const summary = await terminal.waitFor('Cancel');
    expect(summary).toMatch(/Name +Organic\n/);
    expect(summary).toMatch(/Type +supplier\n/);
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('keeps selections and added text that were not submitted', async () => {
    const terminal = demo.terminal('boh --sandbox roles create');
    await answerPrompts(
      terminal,
      ['? Name', 'Keeper', enter],
      ['? Authorities', 'inv'],
      ['? Authorities inv', tab, down, tab],
      ['2 chosen', keys.escape],
      ['? Name Keeper', ' of keys'],
      ['Keeper of keys', enter],
    );
    await terminal.waitFor('◉ inventory_items:read');
    await terminal.waitFor('2 chosen');
    terminal.types(enter);
    await terminal.waitFor('Create this role?');
    expect(await terminal.waitFor('Cancel')).toMatch(
      /Authorities +inventory_items:read, inventory_items:manage/,
    );
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('keeps typed text that was not submitted', async () => {
    const terminal = demo.terminal('boh --sandbox customers create');
    await answerPrompts(
      terminal,
      ['? Name', 'Layla', enter],
      ['? Phone', '055 12'],
      ['= 5512', keys.escape],
      ['? Name Layla', enter],
      ['? Phone 055 12', ctrlC],
    );
    expect(await terminal.ended()).toBe(130);
  });
});

describe('a form whose request is refused', () => {
  test('opens again at the refused field, with the message of the service and all other answers', async () => {
    const terminal = demo.terminal('boh --sandbox delivery-zones create', { lines: 40 });
    const border = join(demo.folder, 'zone.geojson');
    const ring = [
      [46.67, 24.7],
      [46.69, 24.7],
      [46.69, 24.72],
      [46.67, 24.7],
    ];
    const geometry = { type: 'Polygon', coordinates: [ring] };
    writeFileSync(
      border,
      JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', geometry }] }),
    );
    await answerPrompts(
      terminal,
      ['? Name', 'Old Town', enter],
      ['? Reference', 'ZONE-NORTH', enter],
      ['? Border', border],
      ['= a border of 4 points', enter],
      ['? Branches', 'river', tab, enter],
      ['Create this delivery zone?', enter],
    );
    expect(await terminal.waitFor('? Reference ZONE-NORTH')).toContain('To repeat this without prompts:');
    await answerPrompts(
      terminal,
      ['taken', '-2', enter],
      ['Create this delivery zone?'],
      ['Branches  ', enter],
    );
    expect(await terminal.ended()).toBe(0);
    const [zone] = await demo.json<Record<string, unknown>[]>(
      'delivery-zones list --reference ZONE-NORTH-2 --include branches',
    );
    expect(zone).toMatchObject({
      name: 'Old Town',
      coordinates: ring,
      branches: [{ id: 'branch-riverside' }],
    });
  });
});

test('a service that becomes unreachable: reports it, and prints the command for the same change', async () => {
  const { server, env } = await startUnreachableService();
  const terminal = demo.terminal('boh tags create', { env });
  await answerPrompts(terminal, ['? Name', 'Organic', enter], ['? Type', enter], ['Create this tag?', enter]);
  expect(await terminal.ended()).toBe(8);
  expect(terminal.text()).toMatch(
    /To repeat this without prompts:\n {2}boh tags create --name Organic --type customer\n/,
  );
  server.close();
});

/** Starts a service that closes every connection. */
async function startUnreachableService(): Promise<{ server: Server; env: Record<string, string> }> {
  const server = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: `http://127.0.0.1:${port}` } };
}

test('a window that shrinks: is drawn again, and no line is wider than it', async () => {
  const terminal = demo.terminal('boh --sandbox roles update @Cashier', { columns: 120, lines: 40 });
  await answerPrompts(terminal, ['What do you want to change', 'auth', enter]);
  await terminal.waitFor('gift_cards:manage');
  await terminal.waitFor('chosen');
  terminal.resize(40, 10);
  await terminal.waitFor('? Authorities');
  const lines = (await terminal.waitFor('chosen')).split('\n');
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.length).toBeLessThanOrEqual(10);
  for (const line of lines) expect(line.length).toBeLessThan(40);
  terminal.types(ctrlC);
  expect(await terminal.ended()).toBe(130);
});

test('--dry-run: asks the questions and sends nothing', async () => {
  const terminal = demo.terminal('boh --sandbox tags create --dry-run');
  await answerPrompts(
    terminal,
    ['? Name', 'Rehearsed', tab, enter],
    ['? Type', enter],
    ['Create this tag?', enter],
  );
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toContain('"name": "Rehearsed"');
  const tags = await demo.json<{ name: string }[]>('tags list --name Rehearsed');
  expect(tags).toEqual([]);
});

test('a number: is shown in the unit that another answer selects', async () => {
  const invalid = demo.terminal('boh --sandbox timed-events create --name Sale --type price-reduction');
  await answerPrompts(invalid, ['? Value', '20%', enter], ['Value must be in currency, not "%"', ctrlC]);
  expect(await invalid.ended()).toBe(130);
  const valid = demo.terminal(
    'boh --sandbox timed-events create --name Sale --type price-reduction-by-percentage',
  );
  await answerPrompts(valid, ['in percent', '20%'], ['= 20 percent', ctrlC]);
  expect(await valid.ended()).toBe(130);
  const level = demo.terminal('boh --sandbox inventory-items link-branch @SKU-001 branch-old-town');
  await answerPrompts(level, ['in kg', '5 kg', enter], ['✔ Minimum level 5 kg'], ['? Maximum level', ctrlC]);
  expect(await level.ended()).toBe(130);
});

test('--coordinates @FILE: reads a border from a GeoJSON file, and reports a missing file', async () => {
  const file = join(demo.folder, 'pier.geojson');
  const coordinates = [
    [46.6, 24.6],
    [46.7, 24.6],
    [46.7, 24.7],
    [46.6, 24.6],
  ];
  writeFileSync(
    file,
    JSON.stringify({ type: 'Feature', geometry: { type: 'Polygon', coordinates: [coordinates] } }),
  );
  const zone = await demo.json(`delivery-zones update @ZONE-NORTH --coordinates @${file}`);
  expect(zone).toMatchObject({ coordinates });
  const refusedResult = await demo.boh('delivery-zones update @ZONE-NORTH --coordinates @nowhere.geojson');
  expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
    2,
    expect.stringContaining('file nowhere.geojson not found'),
  ]);
});

describe('form of a new record', () => {
  test.each([
    ['addresses', 'Name', 'Description', 'Customer', 'Delivery zone'],
    ['sections', 'Name', 'Branch'],
    ['tax-groups', 'Name', 'Taxes'],
    ['groups', 'Name', 'Active (Y/n)'],
    ['roles', 'Name', 'Authorities'],
  ])('%s create: asks for the main fields', async (resource, ...questions) => {
    const terminal = demo.terminal(`boh --sandbox ${resource} create`);
    for (const question of questions) {
      await answerPrompts(terminal, [`? ${question}`, ...(question === 'Name' ? ['Something'] : []), enter]);
    }
    await terminal.waitFor('Create this');
    await terminal.waitFor('Cancel');
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });
});

describe('a list of nested objects, the options of a modifier', () => {
  interface Option {
    id: string;
    name: string;
    price: number;
  }
  const options = async () =>
    (await demo.json<{ options: Option[] }>('modifiers get modifier-1 --include options')).options;

  test('a price changes in the grid or in the row, and no option disappears unnamed', async () => {
    const before = await options();
    const terminal = demo.terminal('boh --sandbox modifiers update modifier-1 --quiet');
    await answerPrompts(
      terminal,
      ['What do you want to change', 'options', enter],
      ['One field of each option', down, enter],
      ['Options: Pita', 'price', enter],
      ['? Pita: Price', '\x155', enter],
      ['? Options: Pita', enter],
      ['Price 0 → 5', 'One field', enter],
      ['Which field of each option?', 'price', enter],
      ['Options: Price of each', down, '3', ctrlS],
      ['Price 2 → 3', 'no bread', enter],
      ['? Options: No Bread', 'remove', enter],
      ['(will be removed)', enter],
      ['- No Bread, Pita: price 0 → 5', enter],
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).not.toContain('[object Object]');
    const after = await options();
    expect(after).toEqual([
      { ...before[0], price: 5 },
      { ...before[1], price: 3 },
    ]);
  });

  test('undo: names the option that gets a new ID', async () => {
    const result = await demo.boh('undo --last --dry-run -o table');
    expect(result.stderr).toContain('No Bread will be created again with a new ID.');
    expect(result.stdout).toContain('options + No Bread');
    expect(result.stdout).toContain('Pita: price 5 → 0');
  });

  test('--data without an option: names it, and asks', async () => {
    const kept = JSON.stringify({ options: [{ id: (await options())[0]?.id, price: 6 }] });
    const terminal = demo.terminal(`boh --sandbox modifiers update modifier-1 --data '${kept}'`);
    await answerPrompts(terminal, ['Options: "Saj"'], ['Send this update?', 'n', enter]);
    expect(await terminal.ended()).toBe(130);
    expect(await options()).toHaveLength(2);
  });
});
