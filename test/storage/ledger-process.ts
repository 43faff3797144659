/**
 * Uses a ledger in a separate process. Tests start it with: ledger-process.ts FILE ACTION ARGUMENTS. It prints a line for
 * each completed step.
 */
import { replaceDatabaseContent } from '../../src/base/storage/copy.ts';
import type { Database } from '../../src/base/storage/database.ts';
import { createRichTables, openLedger, texts, write } from './ledger.ts';

const [file = '', action = '', ...args] = process.argv.slice(2);
const printLine = (text: string) => process.stdout.write(`${text}\n`);

function writeEntries(ledger: Database): void {
  for (let count = 0; count < Number(args[1]); count++) {
    write(ledger, `${args[0]} ${count}`);
    printLine('written');
  }
  ledger.close();
}

const actions: Record<string, () => void | Promise<void>> = {
  /** Writes entries; the second argument is their number. */
  write: () => {
    writeEntries(openLedger(file, { busyTimeoutMs: 5000 }));
  },
  /** Runs an upkeep that adds one entry, and writes entries as `write` does. */
  maintain: () => {
    const upkeep = {
      isDone: (ledger: Database) => texts(ledger).includes('maintained'),
      run: (ledger: Database) => void write(ledger, 'maintained'),
    };
    writeEntries(openLedger(file, { busyTimeoutMs: 5000, upkeep }));
  },
  /** Writes an entry and kills the process, so that the write-ahead log stays. */
  die: () => {
    write(openLedger(file), 'last entry');
    process.kill(process.pid, 'SIGKILL');
  },
  /** Replaces the content with that of two other files in turn until the process is killed. */
  swap: () => {
    const ledger = openLedger(file, { createTables: createRichTables });
    for (let count = 0; ; count++) {
      replaceDatabaseContent(ledger, args[count % 2] ?? '', { keep: [], finish: () => {} });
      printLine('swapped');
    }
  },
  texts: () => {
    const ledger = openLedger(file);
    printLine(JSON.stringify(texts(ledger)));
    ledger.close();
  },
};

await actions[action]?.();
