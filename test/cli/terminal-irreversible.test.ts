import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo: Demo = startDemo();
afterAll(() => demo.remove());

const writeInput = (name: string, text: string) => {
  writeFileSync(join(demo.folder, name), text);
  return join(demo.folder, name);
};

const closedWarning = "With this status, the inventory count takes effect. This can't be undone.";
const pinWarning = "The current PIN can't be read. Changing it can't be undone.";

/** Each case is a command line that asks for confirmation, the warning before the question, and the question. */
const cases: [line: () => string | Promise<string>, warning: string, question: string][] = [
  [
    () => 'inventory-counts delete @IC-0001',
    "Inventory counts can't be restored.",
    '? Delete inventory count',
  ],
  [
    () => 'inventory-counts delete --where status=draft --max-deletes 100%',
    "Inventory counts can't be restored.",
    '? Delete 2 inventory counts?',
  ],
  [() => 'api DELETE /addresses/address-1', "Addresses can't be restored.", '? DELETE /addresses/address-1?'],
  [() => 'users update user-1 user-2 --data \'{"pin":"59038271"}\'', pinWarning, '? Update 2 users?'],
  [
    async () => {
      const users = await demo.json<{ id: string }[]>('users list --limit 2');
      const rows = users.map(({ id }, index) => `${id},5903827${index}`);
      return `users import ${writeInput('pins.csv', ['id,pin', ...rows].join('\n'))}`;
    },
    pinWarning,
    '? Update 2 users?',
  ],
  [
    () => 'inventory-counts update --where status=draft --status closed',
    closedWarning,
    '? Update 2 inventory counts?',
  ],
  [
    () => 'inventory-counts update @IC-0001 --status closed',
    closedWarning,
    '? Send this update of inventory count "IC-0001"',
  ],
  [
    () =>
      `apply ${writeInput('c.yaml', 'inventory_counts: [{reference: IC-0001, status: closed}, {reference: IC-0006, status: closed}]')}`,
    closedWarning,
    '? Update 2 records?',
  ],
  [
    () => 'inventory-counts create --items inventory-item-1=2 --status draft',
    "Subscribed users will be notified. This can't be undone.",
    '? Create this inventory count?',
  ],
];

const collapseSpaces = (text: string) => text.replace(/\s+/g, ' ');

describe.each([80, 120])('in a window of %d columns', (columns) => {
  test.each(cases.map((testCase) => [testCase[2], ...testCase] as const))(
    '%s: follows one warning that the change cannot be undone',
    async (_, line, warning, question) => {
      const terminal = demo.terminal(`boh --sandbox ${await line()}`, { columns });
      if (question.startsWith('? Create')) {
        await terminal.waitFor('? Branch');
        terminal.types(keys.enter);
      }
      await terminal.waitFor(question.split(' ').slice(0, 3).join(' '));
      terminal.types(keys.ctrlC);
      expect(await terminal.ended()).toBe(130);
      const output = collapseSpaces(terminal.text());
      expect(output.split(warning)).toHaveLength(2);
      expect(output.indexOf(warning)).toBeLessThan(output.indexOf(question));
    },
  );
});

describe('a cost adjustment that takes effect: shows old and new costs with its findings, and asks', () => {
  const createDraft = async () => {
    const items = '--items @SKU-001=45,@SKU-002=3.3';
    const line = `cost-adjustments create --branch-id @Riverside --status draft ${items}`;
    const { id } = await demo.json<{ id: string }>(line);
    return id;
  };
  const lines: [string, (id: string) => string, string][] = [
    ['flags', (id) => `update ${id} --status closed`, 'Send this update of cost adjustment'],
    ['import', (id) => `import ${writeInput('closed.csv', `id,status\n${id},closed\n`)}`, 'Update 1 cost'],
    ['where', (id) => `update --where id=${id} --status closed`, 'Update 1 cost adjustment?'],
    ['form', (id) => `update ${id}`, 'Send this change'],
    [
      'creation',
      () => 'create --branch-id @Riverside --status closed --items @SKU-001=45,@SKU-002=3.3',
      'Create this cost adjustment?',
    ],
  ];
  test.each(lines)('%s', async (kind, line, question) => {
    const id = await createDraft();
    const terminal = demo.terminal(`boh --sandbox cost-adjustments ${line(id)}`, { columns: 100, lines: 40 });
    if (kind === 'form')
      await answerPrompts(
        terminal,
        ['What do you want to change', 'status', keys.enter],
        ['? Status', 'clo', keys.enter],
      );
    const shown = await terminal.waitFor(question);
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expect(shown).toMatch(/Tomatoes \(SKU-001\) +4\.5 +45 +\+900%\n/);
    expect(shown).toMatch(/Cucumbers \(SKU-002\) +4 +3\.3 +-17\.5%\n/);
    expect(collapseSpaces(shown)).toContain('The cost of Tomatoes changes from 4.5 to 45.');
  });

  test('without a terminal: needs --yes', async () => {
    const id = await createDraft();
    for (const line of [
      `cost-adjustments update ${id} --status closed`,
      `cost-adjustments import ${writeInput('closed.csv', `id,status\n${id},closed\n`)}`,
      'loyalty-rewards redeem loyalty-reward-1 --order-id order-1',
    ]) {
      const refused = await demo.boh(line);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    }
    expect((await demo.boh(`cost-adjustments update ${id} --status closed --yes`)).exitCode).toBe(0);
  });
});
