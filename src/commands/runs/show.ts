/** `boh runs show ID`: every row of a run with what became of it. */
import { Command } from 'commander';
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { describeLedgerLoss } from '../../bulk/ledger/loss.ts';
import { ownerOfRun, runAsFile } from '../../bulk/ledger/owner.ts';
import { factsOf } from '../../bulk/ledger/runs.ts';
import { resultOf } from '../../bulk/run/result.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { demandOwnerToRead } from '../../session/file-owner.ts';
import { note, warn } from '../../terminal/messages.ts';
import { ranLine } from '../bulk/plan-lines.ts';
import { resourceIn } from '../bulk/show-plan.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { ledgerNamed } from './named.ts';

export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .argument('[run]', 'its id, or the file of its ledger')
    .usage('<run> [flags]')
    .description('Show what became of each row of a run; those that were not sent are not_sent.')
    .addOption(anyAccountOption())
    .action(presented(context, (id: string | undefined, flags: AnyAccountFlag) => run(id, flags, context)));
}

const states = ['bad', 'planned', 'sent', 'done', 'failed', 'unknown'] as const;

async function run(
  id: string | undefined,
  { anyAccount: isAny }: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const ledger = ledgerNamed(id, context);
  const owner = ownerOfRun(ledger);
  try {
    if (owner) await demandOwnerToRead(owner, { ...runAsFile(ledger), isAny }, context);
  } catch (error) {
    ledger.close();
    throw error;
  }
  const loss = ledger.loss();
  if (loss) warn(context.streams, describeLedgerLoss(ledger.file, loss));
  const { state, command, started_at: at, done, failed, unknown, to_go: left } = factsOf(ledger);
  note(
    context.streams,
    `${command}, begun at ${at} (UTC), ${state}: ${done} done, ${failed} failed, ${unknown} unknown, ${left} to go.`,
  );
  async function* rows() {
    for (const row of ledger.rows(...states)) yield resultOf(row);
  }
  return {
    kind: 'run',
    isReading: true,
    hasResources: ledger.hasResources(),
    rows: rows(),
    lines: () => lines(ledger, context.api),
    end: async () => {
      ledger.close();
      return {};
    },
  };
}

function* lines(ledger: Ledger, api: Context['api']): Generator<string> {
  const resource = resourceIn(ledger);
  for (const row of ledger.rows(...states)) yield ranLine(row, { api, resource });
}
