/** The queue of a journal: rows move completely and in order while other processes write, and damage is reported. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { enterQueued } from '../../src/history/journal/enter-queued.ts';
import { Journal, type NewEntry } from '../../src/history/journal/journal.ts';
import { journalToRead } from '../../src/history/journal/journal-to-read.ts';
import { entries } from '../../src/history/journal/reading.ts';
import { verify } from '../../src/history/maintenance/verify.ts';
import { StorageFailure } from '../../src/storage/failures.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-queue-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

let files = 0;
const newFile = () => join(folder, `${files++}.sqlite`);

function openJournal(file: string): Journal {
  const journal = new Journal(file);
  onTestFinished(() => journal.close());
  return journal;
}

function commandOf(journal: Journal, run: string): number {
  return journal.addCommand(1, { run, line: `boh ${run}`, profile: null });
}

const entryOf = (command: number, text: string, id?: string): NewEntry => ({
  at: 1,
  command,
  resource: 'suppliers',
  verb: id === undefined ? 'create' : 'update',
  fields: ['name'],
  ids: id === undefined ? [] : [id],
  request: { method: 'PUT', target: `/suppliers/${id}`, body: { name: text } },
  before: null,
});

/** Returns a journal with three queued writes and their outcomes: six rows of the queue. */
function journalWithQueue(): string {
  const file = newFile();
  const journal = new Journal(file);
  for (const text of ['One', 'Two', 'Three']) {
    const number = journal.write(() => journal.addEntry(entryOf(commandOf(journal, text), text, text)));
    journal.addOutcome(number, { at: 2, outcome: 'done', after: { id: text, name: text } });
  }
  journal.close();
  return file;
}

interface Step {
  /** One of three processes. */
  writer: number;
  action: 'new command' | 'add entries' | 'add outcome' | 'read' | 'move a row' | 'fail';
  text: string;
}

test('three processes that write and read in any order: every row moves once, under its number', () => {
  const step: fc.Arbitrary<Step> = fc.record({
    writer: fc.nat({ max: 2 }),
    action: fc.constantFrom(
      'new command',
      'add entries',
      'add entries',
      'add outcome',
      'add outcome',
      'read',
      'move a row',
      'fail',
    ),
    text: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant('\t\n"\u2028')),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const file = newFile();
      const journals = [0, 1, 2].map(() => new Journal(file));
      const expectedEntries: { text: string; run: string; outcome: string; id: string | null }[] = [];
      const commands: { id: number; run: string }[] = [];
      const add = (journal: Journal, runIndex: number, text: string) => {
        const command = commands[runIndex] ?? {
          id: commandOf(journal, `run ${runIndex}`),
          run: `run ${runIndex}`,
        };
        commands[runIndex] = command;
        const number = journal.addEntry(entryOf(command.id, text));
        expectedEntries.push({ text, run: command.run, outcome: 'unknown', id: null });
        expect(number).toBe(expectedEntries.length);
      };
      try {
        for (const { writer, action, text } of steps) {
          const journal = journals[writer] as Journal;
          const open = expectedEntries.findIndex(({ outcome }) => outcome === 'unknown');
          if (action === 'new command') delete commands[writer];
          else if (action === 'add entries')
            journal.write(() => {
              for (const end of ['', ' 2']) add(journal, writer, text + end);
            });
          else if (action === 'add outcome' && open !== -1) {
            journal.addOutcome(open + 1, { at: 2, outcome: 'done', after: null, id: `id ${open}` });
            // A second outcome from another process changes nothing.
            journal.addOutcome(open + 1, { at: 3, outcome: 'refused', after: null });
            Object.assign(expectedEntries[open] ?? {}, { outcome: 'done', id: `id ${open}` });
          } else if (action === 'read') journalToRead(file).close();
          else if (action === 'move a row') enterQueued(journal.database, 1);
          else if (action === 'fail') {
            const fail = () => {
              journal.addEntry(entryOf(1, text));
              throw new Error('on purpose');
            };
            expect(() => journal.write(fail)).toThrow('on purpose');
          }
        }
        const reader = journalToRead(file);
        journals.push(reader);
        const readEntries = [...entries(reader, {})].reverse();
        expect(readEntries.map(({ number }) => number)).toEqual(expectedEntries.map((_, index) => index + 1));
        expect(
          readEntries.map(({ sent, run, outcome, id }) => ({
            body: sent?.request.body,
            run,
            outcome,
            id,
          })),
        ).toEqual(
          expectedEntries.map(({ text, ...expectedColumns }) => ({
            body: { name: text },
            ...expectedColumns,
          })),
        );
        expect(verify(reader)).toMatchObject({ intact: true, problems: [], entries: expectedEntries.length });
      } finally {
        for (const journal of journals) journal.close();
        rmSync(file);
      }
    }),
  );
});

describe('a damaged queue', () => {
  const damages: Record<string, [sql: string, problem: string]> = {
    'that lacks a position': ['DELETE FROM queue WHERE place = 3', 'Entry 2 is missing.'],
    'that lacks the newest positions': ['DELETE FROM queue WHERE place > 4', 'Entry 3 is missing.'],
    'that lacks all positions': ['DELETE FROM queue', 'Entries 1 to 3 are missing.'],
    'with a higher next number': ['UPDATE tail SET number = 9', 'Entries 4 to 9 are missing.'],
    'with a used next number': ['UPDATE tail SET number = 1', 'would be 2, which is used'],
  };

  test.each(Object.entries(damages))('%s: verify reports the gap', (_, [sql, problem]) => {
    const file = journalWithQueue();
    openJournal(file).database.script(sql);
    const journal = journalToRead(file);
    onTestFinished(() => journal.close());
    const { intact, problems } = verify(journal);
    expect(intact).toBe(false);
    expect(problems.join('\n')).toContain(problem);
  });

  test('with entries that were queued since the journal was opened: has no gap', () => {
    expect(verify(openJournal(journalWithQueue()))).toMatchObject({ intact: true, entries: 0 });
  });

  test('that fits no table: is reported as damage, and no number is used twice', () => {
    for (const sql of [
      'UPDATE queue SET content = replace(content, \'["entries",2\', \'["entries",1\') WHERE place = 3',
      'UPDATE queue SET content = replace(content, \'["entries",2\', \'["entries","x"\') WHERE place = 3',
      "UPDATE tail SET entered_place = 'x'",
    ]) {
      const file = journalWithQueue();
      openJournal(file).database.script(sql);
      expect(() => journalToRead(file)).toThrow(/is damaged/);
    }
    for (const change of ['number = 0', "number = 'x'", "place = 'x'", 'place = 1']) {
      const file = journalWithQueue();
      journalToRead(file).close();
      const journal = openJournal(file);
      journal.addEntry(entryOf(1, 'Four'));
      enterQueued(journal.database);
      journal.addEntry(entryOf(1, 'Five'));
      journal.database.script(`UPDATE tail SET ${change}`);
      if (change === 'place = 1') journal.database.script('UPDATE queue SET place = 2');
      expect(() => journal.addEntry(entryOf(1, 'Six'))).toThrow(StorageFailure);
    }
  });

  test('that is invalid: is reported as damage, stays queued, and writes continue', () => {
    for (const content of [
      'x',
      '[]\t{}',
      '["entries",1]\t{}',
      '["entries",1,1,{},null,null,null,null,"[]"]\t{}',
      '',
    ]) {
      const file = journalWithQueue();
      const journal = openJournal(file);
      journal.database.run('UPDATE queue SET content = ? WHERE place = 3', content);
      expect(() => journalToRead(file)).toThrow(StorageFailure);
      expect(journal.database.get('SELECT count(*) AS count FROM queue')).toEqual({ count: 6 });
      expect(journal.addEntry(entryOf(1, 'Four'))).toBe(4);
    }
  });
});

test('a reader with many queued writes: is notified of their number; others are not', () => {
  const file = newFile();
  const counts: number[] = [];
  const openReader = () => journalToRead(file, { onMany: (writes) => counts.push(writes) }).close();
  const add = (count: number) => {
    const journal = new Journal(file);
    const command = commandOf(journal, 'many');
    journal.write(() => {
      for (let index = 0; index < count; index++) journal.addEntry(entryOf(command, 'x'));
    });
    journal.close();
  };
  add(10);
  openReader();
  add(40_001);
  openReader();
  openReader();
  expect(counts).toEqual([40_001]);
});
