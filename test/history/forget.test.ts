/** Forgets a person while other processes write: later rows contain no data about the person. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { scrub } from '../../src/base/storage/scrub.ts';
import { Journal, type NewEntry, type NewOutcome } from '../../src/engine/history/journal/journal.ts';
import { entryNumbered } from '../../src/engine/history/journal/reading.ts';
import { dropOld } from '../../src/engine/history/maintenance/delete-old.ts';
import { forget, personIn } from '../../src/engine/history/maintenance/forget.ts';
import { verify } from '../../src/engine/history/maintenance/verify.ts';

const customers = api.resource('customers') as Resource;

interface TestJournal {
  journal: Journal;
  folder: string;
  /** Returns the matches of the person's name in the files of the folder, with the surrounding text. */
  findPerson(): string[];
}

function newJournal(): TestJournal {
  const folder = mkdtempSync(join(tmpdir(), 'boh-forget-'));
  const journal = new Journal(join(folder, 'history.sqlite'));
  onTestFinished(() => {
    journal.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const findPerson = () =>
    readdirSync(folder).flatMap((name) => {
      const matches = readFileSync(join(folder, name), 'latin1').match(/.{0,40}quokka.{0,40}/gi) ?? [];
      return matches.map((text) => `${name}: ${text}`);
    });
  return { journal, folder, findPerson };
}

function write(journal: Journal, { at = 1, ...entryValues }: Partial<NewEntry> = {}): number {
  return journal.write(() => {
    const command = journal.addCommand(at, {
      run: 'run',
      line: `boh ${entryValues.ids ?? 'Quokka'}`,
      profile: null,
    });
    return journal.addEntry({
      at,
      command,
      resource: 'customers',
      verb: 'update',
      fields: ['name'],
      ids: ['quokka-1'],
      request: { method: 'PUT', target: '/customers/quokka-1', body: { name: 'Quokka' } },
      before: null,
      ...entryValues,
    });
  });
}

const outcomeOfPerson: NewOutcome = {
  at: 2,
  outcome: 'done',
  after: { id: 'quokka-1', name: 'Quokka' },
  id: 'quokka-1',
};

async function forgetQuokka(journal: Journal): Promise<number> {
  const { entries } = forget(journal, personIn(journal, customers, 'quokka-1'), api);
  await scrub(journal.database);
  return entries;
}

test('an outcome after its entry was forgotten: is recorded without its content', async () => {
  const { journal, findPerson } = newJournal();
  const number = write(journal);
  expect(await forgetQuokka(journal)).toBe(1);
  journal.addOutcome(number, outcomeOfPerson);
  expect(entryNumbered(journal, number)).toMatchObject({ id: null, outcome: 'done', isForgotten: true });
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  await forgetQuokka(journal);
  expect(findPerson()).toEqual([]);
});

test('an outcome after its entry was deleted: is recorded without its content', async () => {
  const { journal, findPerson } = newJournal();
  const number = write(journal);
  expect(dropOld(journal, { age: 1 }, 1000)).toBe(1);
  journal.addOutcome(number, outcomeOfPerson);
  await forgetQuokka(journal);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  expect(findPerson()).toEqual([]);
});

test('a write of another process during the search: is forgotten as well', async () => {
  const { journal, folder, findPerson } = newJournal();
  const otherJournal = new Journal(join(folder, 'history.sqlite'));
  onTestFinished(() => otherJournal.close());
  // A refused create refers to no record until its outcome names it.
  const createNumber = write(journal, { verb: 'create', ids: [], request: bodyOf('Someone') });
  const person = personIn(new Journal(join(folder, 'history.sqlite')), customers, 'quokka-1');
  const namesWithWrite = onFirstRead(person.names, () => {
    write(otherJournal);
    otherJournal.addOutcome(createNumber, outcomeOfPerson);
  });
  expect(forget(journal, { ...person, names: namesWithWrite }, api).entries).toBe(2);
  await scrub(journal.database);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  expect(findPerson()).toEqual([]);
});

const bodyOf = (name: string) => ({ method: 'POST', target: '/customers', body: { name } });

/** Returns the same names, and calls a function when they are first read. */
function onFirstRead(names: ReadonlyMap<string, ReadonlySet<string>>, callback: () => void) {
  let isFirst = true;
  const map = new Map(names);
  map[Symbol.iterator] = () => {
    if (isFirst) callback();
    isFirst = false;
    return map.entries();
  };
  return map;
}

test('forgotten content that another process still reads: is reported, and removed once the reader ends', async () => {
  const { journal, folder, findPerson } = newJournal();
  const reader = new Journal(join(folder, 'history.sqlite'));
  onTestFinished(() => reader.close());
  write(journal);
  const { entries } = reader.database.read(() => {
    expect(reader.database.all('SELECT * FROM entries')).toHaveLength(1);
    return forget(journal, personIn(journal, customers, 'quokka-1'), api);
  });
  expect(entries).toBe(1);
  reader.database.script('BEGIN; SELECT count(*) FROM entries');
  await expect(scrub(journal.database, 100)).rejects.toThrow('could not be erased from');
  expect(findPerson()).not.toEqual([]);
  // Writers don't wait meanwhile.
  const otherJournal = new Journal(join(folder, 'history.sqlite'));
  write(otherJournal, { ids: ['other'], request: bodyOf('Other') });
  otherJournal.close();
  reader.database.script('COMMIT');
  await forgetQuokka(journal);
  expect(findPerson()).toEqual([]);
});
