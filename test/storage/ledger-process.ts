/**
 * A process that uses a ledger. Tests start it with: ledger-process.ts FILE WORK ARGUMENTS. It prints a line for each
 * completed step.
 */
import { replaceDatabaseContent } from '../../src/storage/copy.ts';
import { openLedger, richSteps, texts, write } from './ledger.ts';

const [file = '', work = '', ...args] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);

const works: Record<string, () => void | Promise<void>> = {
  /** Opens the ledger at the second version and writes as many entries as the second argument says. */
  write: () => {
    const ledger = openLedger(file, { busyTimeoutMs: 5000 });
    for (let count = 0; count < Number(args[1]); count++) {
      write(ledger, `${args[0]} ${count}`);
      say('written');
    }
    ledger.close();
  },
  /** Writes an entry and kills itself, so that the write-ahead log stays. */
  die: () => {
    write(openLedger(file), 'last words');
    process.kill(process.pid, 'SIGKILL');
  },
  /** Takes the content of two other files in turn until it is killed. */
  swap: () => {
    const ledger = openLedger(file, { steps: richSteps });
    for (let count = 0; ; count++) {
      replaceDatabaseContent(ledger, args[count % 2] ?? '', { keep: [], finish: () => {} });
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
