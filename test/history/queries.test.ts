/** Queries a journal page by page and compares the results with a full scan. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RandomGenerator } from '../../src/base/random.ts';
import type { Entry } from '../../src/engine/history/journal/entry.ts';
import { Journal } from '../../src/engine/history/journal/journal.ts';
import {
  countOf,
  type EntryFilter,
  entries,
  pageOfEntries,
} from '../../src/engine/history/journal/reading.ts';

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
        user: { name: pick(['Ada', 'Bo', undefined]) },
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
  return journal;
}

test('any filter: pages and counts match a full scan', () => {
  const journal = createFilledJournal();
  const allEntries = [...entries(journal, {})];
  expect(allEntries.map(({ number }) => number)).toEqual(
    Array.from({ length: 1200 }, (_, index) => 1200 - index),
  );
  const matchesFilter = (entry: Entry, { resource, id, since, run, field, by }: EntryFilter) =>
    [
      resource === undefined || entry.resource === resource,
      id === undefined || entry.id === id,
      since === undefined || entry.at >= since,
      run === undefined || entry.run === run,
      field === undefined || entry.fields.includes(field),
      by === undefined || entry.user === by || entry.command?.profile === by,
    ].every(Boolean);
  const choices = {
    resource: [undefined, 'suppliers', 'nothing'],
    id: [undefined, 'r-7'],
    since: [undefined, 0, 700_000, 880_000, 10_000_000],
    run: [undefined, 'run-3'],
    field: [undefined, 'cost', 'price', 'cos', 'deleted_at'],
    by: [undefined, 'Ada', 'bar', 'Unknown'],
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
  expect(matchCount).toBeGreaterThan(5_000);
  expect([...entries(journal, { field: 'cost' })].map(({ number }) => number)).toEqual(
    allEntries.filter((entry) => entry.fields.includes('cost')).map(({ number }) => number),
  );
  journal.close();
});

test('a kind from a failed transaction: is created again by the next transaction', () => {
  const journal = new Journal(join(folder, 'failed.sqlite'));
  const add = (fail: boolean) =>
    journal.write(() => {
      const command = journal.addCommand(1, { run: 'r', line: '', profile: 'shop' });
      const entry = { at: 1, command, resource: 'suppliers', verb: 'update', fields: ['name'], ids: ['s'] };
      journal.addEntry({ ...entry, request: { method: 'PUT', target: '/s', body: {} }, before: null });
      if (fail) throw new Error('on purpose');
    });
  expect(() => add(true)).toThrow('on purpose');
  add(false);
  expect(pageOfEntries(journal, { by: 'shop', field: 'name' }).map(({ number }) => number)).toEqual([1]);
  journal.close();
});
