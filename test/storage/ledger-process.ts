/**
 * A process of its own that uses a ledger. Started by tests: ledger-process.ts FILE WORK ARGUMENTS. Says each thing that
 * it has done in a line.
 */
import { takeContentOf } from '../../src/storage/copy.ts';
import { openLedger, richSteps, texts, write } from './ledger.ts';

const [file = '', work = '', ...args] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);

const works: Record<string, () => void | Promise<void>> = {
  /** Opens it at the second version and writes so many entries. */
  write: () => {
    const ledger = openLedger(file, { wait: 5000 });
    for (let count = 0; count < Number(args[1]); count++) {
      write(ledger, `${args[0]} ${count}`);
      say('written');
    }
    ledger.close();
  },
  /** Writes and dies, so that the log stays. */
  die: () => {
    write(openLedger(file), 'last words');
    process.kill(process.pid, 'SIGKILL');
  },
  /** Takes over the content of two other files, in turns, until it is killed. */
  swap: () => {
    const ledger = openLedger(file, { steps: richSteps });
    for (let count = 0; ; count++) {
      takeContentOf(ledger, args[count % 2] ?? '', { keep: [], finish: () => {} });
      say('swapped');
    }
  },
  texts: () => {
    const ledger = openLedger(file);
    say(JSON.stringify(texts(ledger)));
    ledger.close();
  },
};

await works[work]?.();
