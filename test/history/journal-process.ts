/** Writes to a journal and reads it until it is killed: journal-process.ts FILE. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '../../src/engine/history/journal/journal.ts';

const journal = new Journal(process.argv[2] ?? '');
for (;;) {
  for (let count = 0; count < 5; count++) {
    const number = journal.write(() => {
      const command = journal.addCommand(1, { run: 'r', line: 'boh', profile: null });
      return journal.addEntry({
        at: 1,
        command,
        resource: 'suppliers',
        verb: 'update',
        fields: ['name'],
        ids: ['a'],
        request: { method: 'PUT', target: '/suppliers/a', body: { name: 'Name' } },
        before: null,
      });
    });
    journal.addOutcome(number, { at: 2, outcome: 'done', after: null });
  }
  process.stdout.write('.');
  // Pauses as for a request, so that waiting processes get the file.
  await sleep(5);
}
