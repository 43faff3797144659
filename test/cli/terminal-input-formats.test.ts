import { afterAll, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter, ctrlC } = keys;

test('answers in everyday formats: are parsed, and displayed as they will be sent', async () => {
  const terminal = demo.terminal(
    'boh --sandbox timed-events create --name Ramadan --type fixed-price --order-types 1',
    {
      lines: 40,
    },
  );
  await answerPrompts(terminal, ['? Value', '1,250.5'], ['= 1250.5', enter]);
  const prompt = await terminal.waitFor('? From date');
  expect(prompt).toContain('✔ Value');
  await answerPrompts(
    terminal,
    ['for example 2027-02-08, 20 Nov 2026', '23/11/2026'],
    ['= 2026-11-23 (Monday)', enter],
    ['✔ From date 2026-11-23 (Monday)'],
    ['? To date', '1 dec 2026'],
    ['= 2026-12-01 (Tuesday)', enter],
    ['✔ To date 2026-12-01 (Tuesday)'],
    ['? From time', '5pm'],
    ['= 17:00', enter],
    ['? To time', '11 pm'],
    ['= 23:00', ctrlC],
  );
  expect(await terminal.ended()).toBe(130);
});

test('a date that does not exist: is prompted for again, and no other date is sent', async () => {
  const terminal = demo.terminal('boh --sandbox customers update @510000000');
  await answerPrompts(
    terminal,
    ['What do you want to change', 'birth', enter],
    ['? Birth date', '\x15', '31 feb 2000', enter],
    ['Birth date must be an existing date: February 2000 has 29 days', '\x15', '31/11/1999', enter],
    ['November 1999 has 30 days', '\x15', '30/11/1999', enter],
    ['✔ Birth date 1999-11-30 (Tuesday)'],
    ['Send this change', enter],
  );
  expect(await terminal.ended()).toBe(0);
  expect(await demo.json('customers list --phone 510000000')).toMatchObject([{ birth_date: '1999-11-30' }]);
});
