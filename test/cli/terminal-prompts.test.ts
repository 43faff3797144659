import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, type Terminal, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter, down, tab, ctrlC } = keys;

/** Returns the command line that is printed at the end. */
function repeatCommand(terminal: Terminal): string {
  return /To repeat this without prompts:\n {2}(boh .*)\n/.exec(terminal.text())?.[1] ?? '';
}

describe('create without its required fields', () => {
  test('asks for them, checks each value while it is typed, shows a summary, and prints the command', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-items create --name "Lemons (Amalfi)"', {
      lines: 40,
    });
    await answerPrompts(
      terminal,
      ['? SKU', 'SKU-LEMON', enter],
      ['? Storage unit', 'kg', enter],
      ['? Ingredient unit', 'g', enter],
      ['? Storage to ingredient factor', 'many', enter],
      ['Storage to ingredient factor must be a number', '\x15', '1,000', enter],
      ['from ingredients', down, enter],
      ['? Cost', enter],
      ['? Category', enter],
      ['? Minimum level', '5 l', enter],
      ['must be in kg, not "l"', '\x15', '1,000 kg'],
      ['= 1000 kg', enter],
      ['? Maximum level', enter],
      ['? Par level', '20%', enter],
      ['not "%"', '\x15', enter],
    );
    await answerPrompts(
      terminal,
      ['Create this inventory item?', 'tags', enter],
      ['? Tags', 'Perish'],
      ['◯ Perishable', tab, enter],
    );
    await terminal.waitFor('Create this inventory item?');
    const summary = await terminal.waitFor('Cancel');
    expect(summary).toMatch(/Name +Lemons \(Amalfi\)\n/);
    expect(summary).toMatch(/Costing method +from ingredients\n/);
    expect(summary).toMatch(/Minimum level +1000\n/);
    expect(summary).toMatch(/Tags +Perishable/);
    terminal.types(enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('created.');

    const line = repeatCommand(terminal);
    expect(line).toContain('--sku SKU-LEMON --name "Lemons (Amalfi)"');
    const repeated = demo.terminal(`${line.replace('SKU-LEMON', 'SKU-LEMON-2')} --yes`);
    expect(await repeated.ended()).toBe(0);
    const [first, second] = await demo.json<Record<string, unknown>[]>(
      'inventory-items list --sku-partial LEMON',
    );
    const ignoredFields = { id: '', sku: '', created_at: '', updated_at: '' };
    expect({ ...second, ...ignoredFields }).toEqual({ ...first, ...ignoredFields });
  });

  test('asks for items, and for their quantities in a sheet with the details of each item', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-counts create --branch-id branch-riverside');
    await answerPrompts(
      terminal,
      ['? Items', 'Onion'],
      ['❯ ◯ Onions (SKU-003)\n  ID', tab, '\x15', 'tomat'],
      ['Tomatoes (SKU-001)', tab, enter],
    );
    await terminal.waitFor('Items: quantity for each');
    expect(await terminal.waitFor('filled in')).toMatch(
      /quantity +unit +par level +cost +last count\n. Onions \(SKU-003\) +_ +kg +36 +[\d.]+\n/,
    );
    await answerPrompts(terminal, ['', '2,5', enter], ['must be a number', '\x15', '2.5 kg', enter]);
    await answerPrompts(terminal, ['Tomatoes (SKU-001):', '1,000', enter], ['? Status', enter]);
    await answerPrompts(terminal, ['Create this inventory count?', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(repeatCommand(terminal)).toMatch(/--status draft --items \w+=2\.5,[\w-]+=1000/);
  });

  test('hides a secret, also in the printed command', async () => {
    const terminal = demo.terminal('boh --sandbox users create --name Sara');
    await answerPrompts(
      terminal,
      ['? Staff number', enter],
      ['? Email', enter],
      ['? Language', 'en', enter],
      ['? Roles', enter],
      ['? Branches', enter],
      ['Create this user?', 'pin', enter],
      ['? PIN', '4821', enter],
    );
    await terminal.waitFor('Create this user?');
    expect(await terminal.waitFor('Cancel')).toMatch(/PIN +••••/);
    terminal.types(enter);
    expect(await terminal.ended()).toBe(0);
    expect(repeatCommand(terminal)).toContain('--ask pin');
    expect(terminal.raw()).not.toContain('4821');
  });

  test('without required fields: asks for the identifying fields first; skipped fields are not sent', async () => {
    const terminal = demo.terminal('boh --sandbox customers create');
    await answerPrompts(
      terminal,
      ['? Name', 'Layla', enter],
      ['? Phone', '+966 (0)55 123-4567'],
      ['= +966 551234567', enter],
      ['? Email', enter],
    );
    await terminal.waitFor('Create this customer?');
    const summary = await terminal.waitFor('Cancel');
    expect(summary).toMatch(/Dial code +966\n/);
    terminal.types('cancel', enter);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Nothing was sent.');
  });

  test('reports invalid flags before it asks anything', async () => {
    const terminal = demo.terminal('boh --sandbox taxes create --rate much --tax-groups x');
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).toContain('rate: --rate must be a number');
    expect(terminal.text()).toContain('Missing required field: name');
    expect(terminal.text()).not.toContain('? ');
  });

  test.each([
    ['--no-input', {}, ' --no-input'],
    ['in CI', { CI: 'true' }, ''],
    ['without a terminal', {}, ' < /dev/null'],
  ])('%s: names the missing flags and asks nothing', async (_, env, redirection) => {
    const terminal = demo.terminal(`boh --sandbox suppliers link-item${redirection}`, { env });
    expect(await terminal.ended()).toBe(2);
    const [, missing = ''] = terminal.text().split('Missing required fields:');
    for (const name of ['supplier-id', 'inventory-item-id', 'order_unit', 'order_to_storage_factor'])
      expect(missing).toContain(name);
  });
});

describe('Ctrl-C at a question', () => {
  test.each([
    ['suppliers create', ['? Name']],
    ['taxes create --name Duty', ['? Rate']],
    ['tags create --name New', ['? Type']],
    ['customers create', ['? Name']],
    ['suppliers get', ['Fresh Farms']],
    ['suppliers delete @SUP-01', ['Delete supplier']],
  ])('%s: sends nothing', async (line, [question = '']) => {
    const terminal = demo.terminal(`boh --sandbox ${line}`);
    await answerPrompts(terminal, [question, ctrlC]);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Nothing was sent');
  });
});

test('Ctrl-C: does not wait for a service that does not respond', async () => {
  const silentServer = createServer();
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
  const { port } = silentServer.address() as AddressInfo;
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: `http://127.0.0.1:${port}` };
  const terminal = demo.terminal('boh suppliers get --timeout 600', { env });
  await answerPrompts(terminal, ['Which supplier to show?', ctrlC]);
  expect(await terminal.ended()).toBe(130);
  silentServer.close();
});

describe('missing ID', () => {
  test('is searched by name', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers get --columns name,code');
    await answerPrompts(terminal, ['Which supplier to show?', 'oasis'], ['❯ Oasis Drinks (SUP-08)', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/name: +Oasis Drinks\ncode: +SUP-08\n/);
  });

  test('is searched by code if no name matches', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers get -o id');
    await answerPrompts(terminal, ['Fresh Farms', 'SUP-08'], ['❯ Oasis Drinks (SUP-08)', enter]);
    expect(await terminal.ended()).toBe(0);
  });

  test('for unlink: offers only linked records', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers unlink-item @SUP-02');
    await answerPrompts(terminal, ['Which inventory item to unlink?', 'Onion'], ['❯ Onions', enter]);
    await answerPrompts(terminal, ['Unlink inventory item "Onions"', 'y', enter]);
    expect(await terminal.ended()).toBe(0);
    const line = /To undo this:\s+(.*)\n/.exec(terminal.text())?.[1] ?? '';
    expect(line).toContain('suppliers link-item');
    expect(await demo.terminal(line).ended()).toBe(0);
  });

  test('without a terminal: is an error', async () => {
    const result = await demo.boh('suppliers get');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('suppliers get needs <id>.');
  });
});

test('link: asks first for its required fields', async () => {
  const terminal = demo.terminal('boh --sandbox suppliers link-item @SUP-09 @SKU-001');
  await answerPrompts(
    terminal,
    ['? Order unit', 'crate', enter],
    ['? Order to storage factor', '10', enter],
    ['? Minimum order quantity'],
  );
  terminal.types(ctrlC);
  expect(await terminal.ended()).toBe(130);
});

test('a dumb terminal: selects several records in more than one search', async () => {
  const terminal = demo.terminal('boh --sandbox inventory-counts create --branch-id branch-riverside', {
    env: { TERM: 'dumb' },
  });
  await answerPrompts(
    terminal,
    ['(part of the name): ', 'mint\n'],
    ['Numbers', '1\n'],
    ['Search for more', 'sku-001\n'],
    ['Numbers', '1\n'],
    ['Search for more', '\n'],
    ['Mint (SKU-009), unit bunch', '4\n'],
    ['Tomatoes (SKU-001), unit kg', '2.5 kg\n'],
    ['Status', '\n'],
    ['Create this inventory count?', '1\n'],
  );
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toMatch(/--items \w+=4,inventory-item-1=2.5/);
});

test('a dumb terminal: asks line by line', async () => {
  const terminal = demo.terminal('boh --sandbox tags create', { env: { TERM: 'dumb' } });
  await answerPrompts(terminal, ['Name: ', 'Organic\n'], ['1) customer', '3\n'], ['Create this tag?', '1\n']);
  expect(await terminal.ended()).toBe(0);
  expect(terminal.raw()).not.toContain('\x1b');
  expect(terminal.text()).toContain('--name Organic --type inventory-item');
});
