import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

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
