/**
 * Uses a ledger in a separate process. Tests start it with: ledger-process.ts FILE ACTION ARGUMENTS. It prints a line for
 * each completed step.
 */
import { replaceDatabaseContent } from '../../src/storage/copy.ts';
import { openLedger, richSteps, texts, write } from './ledger.ts';

const [file = '', action = '', ...args] = process.argv.slice(2);
const printLine = (text: string) => process.stdout.write(`${text}\n`);

const actions: Record<string, () => void | Promise<void>> = {
  /** Opens the ledger at the second version. Writes entries; the second argument is their number. */
  write: () => {
    const ledger = openLedger(file, { busyTimeoutMs: 5000 });
    for (let count = 0; count < Number(args[1]); count++) {
      write(ledger, `${args[0]} ${count}`);
      printLine('written');
    }
    ledger.close();
  },
  /** Writes an entry and kills the process, so that the write-ahead log stays. */
  die: () => {
    write(openLedger(file), 'last entry');
    process.kill(process.pid, 'SIGKILL');
  },
  /** Replaces the content with that of two other files in turn until the process is killed. */
  swap: () => {
    const ledger = openLedger(file, { steps: richSteps });
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
