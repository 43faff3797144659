/** Queries a journal page by page and compares the results with a full scan. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RandomGenerator } from '../../src/base/random.ts';
import { enterQueued } from '../../src/history/journal/enter-queued.ts';
import type { Entry } from '../../src/history/journal/entry.ts';
import { Journal } from '../../src/history/journal/journal.ts';
import { countOf, type EntryFilter, entries, pageOfEntries } from '../../src/history/journal/reading.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-queries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const fields = [['cost'], ['name'], ['cost', 'name'], ['price', 'cost_per_unit'], []];
const resources = ['suppliers', 'inventory_items', null];

/** Returns a journal with 1,200 mixed writes of several users, runs and profiles. The clock is set back once. */
function createFilledJournal(): Journal {
  const journal = new Journal(join(folder, 'journal.sqlite'));
  const random = new RandomGenerator(7);
  const pick = <Value>(values: readonly Value[]) => values[random.between(0, values.length - 1)] as Value;
  journal.write(() => {
    const commands = Array.from({ length: 30 }, (_, index) =>
      journal.addCommand(index, {
        run: `run-${index % 12}`,
        line: 'boh',
        profile: pick(['shop', 'bar', null]),
        account: {
          key: `key-${index % 3}`,
          business: `b-${index % 2}`,
          userName: pick(['Ada', 'Bo', undefined]),
        },
      }),
    );
    for (let number = 1; number <= 1200; number++) {
      const id = `r-${number % 40}`;
      journal.addEntry({
        at: (number < 900 ? number : number - 300) * 1000,
        command: pick(commands),
        resource: pick(resources),
        verb: 'update',
        fields: pick(fields),
        ids: [id],
        request: { method: 'PUT', target: `/x/${id}`, body: {} },
        before: null,
      });
    }
  });
  enterQueued(journal.database);
  return journal;
}

test('any filter: pages and counts match a full scan', () => {
  const journal = createFilledJournal();
  const allEntries = [...entries(journal, {})];
  expect(allEntries.map(({ number }) => number)).toEqual(
    Array.from({ length: 1200 }, (_, index) => 1200 - index),
  );
  const accounts = new Map(
    journal.database
      .all('SELECT number, account FROM entries JOIN commands ON commands.id = entries.command')
      .map(({ number, account }) => [Number(number), Number(account)]),
  );
  const matchesFilter = (
    entry: Entry,
    { resource, id, since, run, field, by, accounts: ownAccounts }: EntryFilter,
  ) =>
    [
      resource === undefined || entry.resource === resource,
      id === undefined || entry.id === id,
      since === undefined || entry.at >= since,
      run === undefined || entry.run === run,
      field === undefined || entry.fields.includes(field),
      by === undefined || entry.user === by || entry.command?.profile === by,
      ownAccounts === undefined || ownAccounts.includes(accounts.get(entry.number) ?? 0),
    ].every(Boolean);
  const choices = {
    resource: [undefined, 'suppliers', 'nothing'],
    id: [undefined, 'r-7'],
    since: [undefined, 0, 700_000, 880_000, 10_000_000],
    run: [undefined, 'run-3'],
    field: [undefined, 'cost', 'price', 'cos', 'deleted_at'],
    by: [undefined, 'Ada', 'bar', 'Unknown'],
    accounts: [undefined, [1], [2, 3], []],
  };
  let filters: EntryFilter[] = [{}];
  for (const [name, values] of Object.entries(choices))
    filters = filters.flatMap((filter) => values.map((value) => ({ ...filter, [name]: value })));
  let matchCount = 0;
  for (const filter of filters) {
    const expectedNumbers = allEntries
      .filter((entry) => matchesFilter(entry, filter))
      .map(({ number }) => number);
    const filterText = JSON.stringify(filter);
    const page = pageOfEntries(journal, filter, { limit: 20 }).map(({ number }) => number);
    expect(page, filterText).toEqual(expectedNumbers.slice(0, 20));
    const nextPage = pageOfEntries(journal, filter, { limit: 20, before: page.at(-1) }).map(
      ({ number }) => number,
    );
    if (page.length > 0) expect(nextPage, filterText).toEqual(expectedNumbers.slice(20, 40));
    expect(countOf(journal, filter), filterText).toBe(expectedNumbers.length);
    matchCount += expectedNumbers.length;
  }
  expect(matchCount).toBeGreaterThan(10_000);
  expect([...entries(journal, { field: 'cost' })].map(({ number }) => number)).toEqual(
    allEntries.filter((entry) => entry.fields.includes('cost')).map(({ number }) => number),
  );
  journal.close();
});

test('a user with several tokens: a page has the writes of all of them', () => {
  const journal = new Journal(join(folder, 'tokens.sqlite'));
  journal.write(() => {
    for (let index = 0; index < 3000; index++) {
      const account = { key: `key-${index}`, userName: `User ${index % 7}` };
      const command = journal.addCommand(index, { run: `run-${index}`, line: '', profile: null, account });
      const entry = {
        at: index,
        command,
        resource: 'suppliers',
        verb: 'update',
        fields: ['name'],
        ids: ['s'],
      };
      journal.addEntry({ ...entry, request: { method: 'PUT', target: '/s', body: {} }, before: null });
    }
  });
  enterQueued(journal.database);
  const page = pageOfEntries(journal, { by: 'User 3', field: 'name' }, { limit: 50 });
  expect(page.map(({ number }) => number)).toEqual(
    Array.from({ length: 50 }, (_, index) => 3000 - index * 7),
  );
  journal.close();
});

test('a kind from a failed transaction: is created again by the next transaction', () => {
  const journal = new Journal(join(folder, 'failed.sqlite'));
  const add = (fail: boolean) =>
    journal.write(() => {
      const command = journal.addCommand(1, { run: 'r', line: '', profile: 'shop', account: { key: 'k' } });
      const entry = { at: 1, command, resource: 'suppliers', verb: 'update', fields: ['name'], ids: ['s'] };
      journal.addEntry({ ...entry, request: { method: 'PUT', target: '/s', body: {} }, before: null });
      if (fail) throw new Error('on purpose');
    });
  expect(() => add(true)).toThrow('on purpose');
  add(false);
  enterQueued(journal.database);
  expect(pageOfEntries(journal, { by: 'shop', field: 'name' }).map(({ number }) => number)).toEqual([1]);
  journal.close();
});
