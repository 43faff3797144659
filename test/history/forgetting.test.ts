/** What is forgotten while others write: what comes later tells nothing of it, and the chain stays whole. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Resource } from '../../src/contract/resource.ts';
import { digestOf } from '../../src/history/journal/chain.ts';
import { enterQueued } from '../../src/history/journal/enter-queued.ts';
import { Journal, type NewEntry, type NewOutcome } from '../../src/history/journal/journal.ts';
import { journalToRead } from '../../src/history/journal/journal-to-read.ts';
import { entryNumbered } from '../../src/history/journal/reading.ts';
import { dropOld } from '../../src/history/keeping/drop.ts';
import { forget, personIn } from '../../src/history/keeping/forget.ts';
import { verify } from '../../src/history/keeping/verify.ts';
import { api } from '../../src/resources/index.ts';
import { scrub } from '../../src/storage/scrub.ts';

const customers = api.resource('customers') as Resource;

interface Files {
  journal: Journal;
  folder: string;
  /** Wherever the folder’s files name the person. */
  found(): string[];
}

function newJournal(): Files {
  const folder = mkdtempSync(join(tmpdir(), 'boh-forgetting-'));
  const journal = new Journal(join(folder, 'history.sqlite'));
  onTestFinished(() => {
    journal.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const found = () =>
    readdirSync(folder).flatMap((name) => {
      const texts = readFileSync(join(folder, name), 'latin1').match(/.{0,40}quokka.{0,40}/gi) ?? [];
      return texts.map((text) => `${name}: ${text}`);
    });
  return { journal, folder, found };
}

function write(journal: Journal, { at = 1, ...rest }: Partial<NewEntry> = {}): number {
  return journal.write(() => {
    const account = { key: 'key' };
    const command = journal.addCommand(at, {
      run: 'run',
      line: `boh ${rest.ids ?? 'Quokka'}`,
      profile: null,
      account,
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
      ...rest,
    });
  });
}

const told: NewOutcome = {
  at: 2,
  outcome: 'done',
  after: { id: 'quokka-1', name: 'Quokka' },
  id: 'quokka-1',
};

async function forgetQuokka(journal: Journal): Promise<number> {
  const { entries } = forget(journal, personIn(journal, customers, 'quokka-1'), { api, now: 3 });
  await scrub(journal.database);
  return entries;
}

test('what comes of a write after it was forgotten is kept without what it says', async () => {
  const { journal, found } = newJournal();
  const number = write(journal);
  expect(await forgetQuokka(journal)).toBe(1);
  journal.addOutcome(number, told);
  enterQueued(journal.database);
  expect(entryNumbered(journal, number)).toMatchObject({ id: null, outcome: 'done', isForgotten: true });
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  await forgetQuokka(journal);
  expect(found()).toEqual([]);
});

test('what comes of a write after it was thrown away is kept without what it says', async () => {
  const { journal, found } = newJournal();
  const number = write(journal);
  enterQueued(journal.database);
  expect(dropOld(journal, { age: 1 }, 1000)).toBe(1);
  journal.addOutcome(number, told);
  await forgetQuokka(journal);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  expect(found()).toEqual([]);
});

test('what another one writes while it is looked for is forgotten, too', async () => {
  const { journal, folder, found } = newJournal();
  const other = new Journal(join(folder, 'history.sqlite'));
  onTestFinished(() => other.close());
  // A refused creation leads to nobody until its outcome names them.
  const early = write(journal, { verb: 'create', ids: [], request: bodyOf('Somebody') });
  const person = personIn(journalToRead(join(folder, 'history.sqlite')), customers, 'quokka-1');
  const moments = lookingThrough(person.called, () => {
    write(other);
    other.addOutcome(early, told);
  });
  expect(forget(journal, { ...person, called: moments }, { api, now: 3 }).entries).toBe(2);
  await scrub(journal.database);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  expect(found()).toEqual([]);
});

const bodyOf = (name: string) => ({ method: 'POST', target: '/customers', body: { name } });

/** The same names; the first time that somebody looks through them, something happens. */
function lookingThrough(called: ReadonlyMap<string, ReadonlySet<string>>, happens: () => void) {
  let isFirst = true;
  const map = new Map(called);
  map[Symbol.iterator] = () => {
    if (isFirst) happens();
    isFirst = false;
    return map.entries();
  };
  return map;
}

test('what others still read is said to be left in the file, and is gone once they let go of it', async () => {
  const { journal, folder, found } = newJournal();
  const reader = new Journal(join(folder, 'history.sqlite'));
  onTestFinished(() => reader.close());
  write(journal);
  const { entries } = reader.database.read(() => {
    expect(reader.database.all('SELECT * FROM queue')).toHaveLength(1);
    return forget(journal, personIn(journal, customers, 'quokka-1'), { api, now: 3 });
  });
  expect(entries).toBe(1);
  reader.database.script('BEGIN; SELECT count(*) FROM entries');
  await expect(scrub(journal.database, 100)).rejects.toThrow('is still in the bytes of');
  expect(found()).not.toEqual([]);
  // Meanwhile nobody has to wait, who writes.
  const other = new Journal(join(folder, 'history.sqlite'));
  write(other, { ids: ['other'], request: bodyOf('Other') });
  other.close();
  reader.database.script('COMMIT');
  await forgetQuokka(journal);
  expect(found()).toEqual([]);
});

test('what is left of what was forgotten is held to as well', async () => {
  const changes = [
    'UPDATE entries SET at = 7',
    "UPDATE entries SET verb = 'delete'",
    "UPDATE entries SET content = '{}'",
    "UPDATE entries SET id = 'x'",
    "UPDATE outcomes SET outcome = 'refused'",
    "UPDATE outcomes SET content = '{}'",
    "UPDATE commands SET run = 'x'",
    "UPDATE commands SET content = replace(content, 'forgotten', 'forged')",
  ];
  for (const change of changes) {
    const { journal } = newJournal();
    journal.addOutcome(write(journal), told);
    expect(await forgetQuokka(journal)).toBe(1);
    expect(verify(journal).intact).toBe(true);
    journal.database.script(change);
    expect(verify(journal).problems.join()).toContain('what is left of it');
  }
});

test('what stays of a part that was thrown away is held to as well: nobody can excuse a gap by it', async () => {
  const forgeries = [
    // Everything that follows from what is said is put right, as who knows how could do.
    (journal: Journal) => {
      const { at, run, account, salt, id } = journal.database.get('SELECT * FROM commands') ?? {};
      const content = JSON.stringify({ line: 'boh forged', profile: null });
      const digest = digestOf(String(salt), [at, run, account, content]);
      journal.database.run(
        'UPDATE commands SET content = ?, digest = ? WHERE id = ?',
        content,
        digest,
        Number(id),
      );
    },
    (journal: Journal) => {
      const content = JSON.stringify({ links: ['entries 2'] });
      const digest = digestOf('', [1, 'forgotten', content]);
      journal.database.run("INSERT INTO marks VALUES (1, 1, 'forgotten', ?, ?, '')", content, digest);
      journal.database.run('UPDATE entries SET content = NULL, salt = NULL WHERE number = 2');
    },
  ];
  for (const forge of forgeries) {
    const { journal } = newJournal();
    journal.write(() => {
      write(journal);
      write(journal, { at: 900, command: 1 });
    });
    enterQueued(journal.database);
    expect(dropOld(journal, { age: 500 }, 1000)).toBe(1);
    expect(verify(journal)).toMatchObject({ intact: true, entries: 1 });
    forge(journal);
    expect(verify(journal).intact).toBe(false);
  }
});
