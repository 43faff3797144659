/** `boh runs list`: the ledgers of this machine, each in a line. */
import { Command } from 'commander';
import { describeLedgerLoss } from '../../bulk/ledger/loss.ts';
import { factsOf, openRun, runIds } from '../../bulk/ledger/runs.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { warn } from '../../terminal/messages.ts';
import { prepare } from '../prepare.ts';

/** Where there is no room for all, what `runs resume` takes and how far it came stay; the id tells the time as well. */
const columns = [
  { name: 'id', whole: true },
  { name: 'started_at', whole: true, rank: 3 },
  { name: 'command', least: 12, rank: 1 },
  { name: 'source', rank: 2 },
  { name: 'state', whole: true },
  { name: 'account', rank: 4 },
  { name: 'rows', rank: 2 },
  { name: 'done', rank: 1 },
  { name: 'failed', rank: 1 },
  { name: 'unknown', rank: 1 },
  { name: 'to_go' },
];

export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description(
      'List the runs of this machine, newest first. Finished ones are kept for 30 days, others for 180.',
    )
    .action(presented(context, () => run(context)));
}

function run({ env, streams }: Context): Result {
  const facts = runIds(env).flatMap((id) => {
    try {
      const ledger = openRun(env, id);
      try {
        const loss = ledger.loss();
        if (loss) warn(streams, describeLedgerLoss(ledger.file, loss));
        return loss?.isWhole ? [] : factsOf(ledger);
      } finally {
        ledger.close();
      }
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
      warn(streams, error.message);
      return [];
    }
  });
  return { kind: 'facts', facts, columns, ifNone: 'There are no runs yet.' };
}
