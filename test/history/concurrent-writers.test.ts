/** Three processes write to a journal and read it: every entry has its own number and its first outcome. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { Journal, type NewEntry } from '../../src/engine/history/journal/journal.ts';
import { entries } from '../../src/engine/history/journal/reading.ts';
import { verify } from '../../src/engine/history/maintenance/verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-writers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

let files = 0;
const newFile = () => join(folder, `${files++}.sqlite`);

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

interface Step {
  /** One of three processes. */
  writer: number;
  action: 'new command' | 'add entries' | 'add outcome' | 'read' | 'fail';
  text: string;
}

test('three processes that write and read in any order: every entry has its own number and its first outcome', () => {
  const step: fc.Arbitrary<Step> = fc.record({
    writer: fc.nat({ max: 2 }),
    action: fc.constantFrom(
      'new command',
      'add entries',
      'add entries',
      'add outcome',
      'add outcome',
      'read',
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
          } else if (action === 'read') expect(verify(journal).intact).toBe(true);
          else if (action === 'fail') {
            const fail = () => {
              journal.addEntry(entryOf(1, text));
              throw new Error('on purpose');
            };
            expect(() => journal.write(fail)).toThrow('on purpose');
          }
        }
        const reader = new Journal(file);
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
