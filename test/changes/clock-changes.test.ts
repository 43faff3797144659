/** Change sets on leap days and on days with a clock change start and end at the right minute. */
import { expect, test } from 'vitest';
import { createCostSet, openWorkspaceAt, readCost, runDueSets } from './change-workspace.ts';

/** Each case is a change set in a time zone, with the times in UTC one minute before and at its start and its end. */
const cases = [
  {
    day: 'the day when clocks go forward',
    flags: ['--at', '2027-03-28 01:30', '--until', '2027-03-28 03:30', '--timezone', 'Europe/Berlin'],
    start: ['2027-03-28 00:29', '2027-03-28 00:30'],
    end: ['2027-03-28 01:29', '2027-03-28 01:30'],
  },
  {
    day: 'the day when clocks go back, with offsets for the hour that exists twice',
    flags: [
      ...['--at', '2027-10-31 02:30+02:00', '--until', '2027-10-31 02:30+01:00'],
      ...['--timezone', 'Europe/Berlin'],
    ],
    start: ['2027-10-31 00:29', '2027-10-31 00:30'],
    end: ['2027-10-31 01:29', '2027-10-31 01:30'],
  },
  {
    day: 'a whole day of 23 hours',
    flags: ['--at', '2027-03-28', '--until', '2027-03-29', '--timezone', 'Europe/Berlin'],
    start: ['2027-03-27 22:59', '2027-03-27 23:00'],
    end: ['2027-03-28 21:59', '2027-03-28 22:00'],
  },
  {
    day: 'a whole day of 25 hours',
    flags: ['--at', '2027-10-31', '--until', '2027-11-01', '--timezone', 'Europe/Berlin'],
    start: ['2027-10-30 21:59', '2027-10-30 22:00'],
    end: ['2027-10-31 22:59', '2027-10-31 23:00'],
  },
  {
    day: 'a day without midnight',
    flags: ['--at', '2027-04-30', '--until', '2027-05-01', '--timezone', 'Africa/Cairo'],
    start: ['2027-04-29 21:59', '2027-04-29 22:00'],
    end: ['2027-04-30 20:59', '2027-04-30 21:00'],
  },
  {
    day: 'weeks over both changes, in the southern hemisphere',
    flags: ['--at', '2027-03-01 04:00', '--until', '2027-11-01 04:00', '--timezone', 'Australia/Sydney'],
    start: ['2027-02-28 16:59', '2027-02-28 17:00'],
    end: ['2027-10-31 16:59', '2027-10-31 17:00'],
  },
  {
    day: 'a leap day',
    flags: ['--at', '2028-02-29', '--until', '2028-03-01', '--timezone', 'Asia/Riyadh'],
    start: ['2028-02-28 20:59', '2028-02-28 21:00'],
    end: ['2028-02-29 20:59', '2028-02-29 21:00'],
  },
];

test.each(cases)('$day: the set starts and ends once, at the right minute', async ({ flags, start, end }) => {
  const workspace = openWorkspaceAt();
  const createResult = await createCostSet(workspace, 'sale', 9.5, ...flags);
  expect(createResult.exitCode, createResult.stderr).toBe(0);
  const [beforeStart = '', atStart = ''] = start;
  const [beforeEnd = '', atEnd = ''] = end;
  expect((await runDueSets(workspace, beforeStart)).acts).toEqual([]);
  expect((await runDueSets(workspace, atStart)).acts).toEqual(['sale begin done']);
  // The sandbox uses the clock of the machine.
  const updatedAt = await workspace.json('inventory-items', 'get', '@SKU-001', '--query', 'updated_at');
  expect(updatedAt).toBe(`${atStart}:00`);
  expect((await runDueSets(workspace, beforeEnd)).acts).toEqual([]);
  expect(await readCost(workspace)).toBe(9.5);
  expect((await runDueSets(workspace, atEnd)).acts).toEqual(['sale return done']);
  expect(await readCost(workspace)).toBe(4.5);
  expect((await runDueSets(workspace, atEnd)).acts).toEqual([]);
});

test('a grace period during the skipped hour: is measured in elapsed time', async () => {
  const workspace = openWorkspaceAt();
  const flags = ['--at', '2027-03-28 01:30', '--timezone', 'Europe/Berlin', '--grace', '1h'];
  await createCostSet(workspace, 'sale', 9.5, ...flags);
  // Clocks show 03:30, one hour after the start.
  expect((await runDueSets(workspace, '2027-03-28 01:30')).acts).toEqual(['sale begin done']);
});

test('a change set in a sandbox: starts and ends by the clock of the sandbox', async () => {
  const workspace = openWorkspaceAt();
  await workspace.boh('sandbox', 'clock', 'set', '2027-04-30 12:00:00');
  await createCostSet(workspace, 'sale', 9, '--at', '2027-05-01', '--until', '2027-05-03', '--yes');
  const runDue = async () => JSON.parse((await workspace.boh('change', 'run')).stdout);
  expect(await runDue()).toEqual([]);
  await workspace.boh('sandbox', 'clock', 'set', '2027-05-01 00:00:00');
  expect(await runDue()).toMatchObject([{ act: 'begin', outcome: 'done' }]);
  expect(await readCost(workspace)).toBe(9);
  await workspace.boh('sandbox', 'clock', 'advance', '48h');
  expect(await runDue()).toMatchObject([{ act: 'return', outcome: 'done' }]);
  expect(await readCost(workspace)).toBe(4.5);
});
