/** Plans a copy or a restore in a ledger, and carries it out. */

import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Result } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import { markOfRows, noteRows } from '../../runs/ledger/same-rows.ts';
import { accountInUse } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { partsProgress } from '../../terminal/progress.ts';
import { deniedFields } from '../../transfer/denied-fields.ts';
import { planTransfer } from '../../transfer/plan-transfer.ts';
import type { GivenReference } from '../../transfer/reference-ids.ts';
import { referenceIds } from '../../transfer/reference-ids.ts';
import type { Source } from '../../transfer/source.ts';
import { Findings, type Transfer } from '../../transfer/transfer.ts';
import { beginLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import { runPlan } from '../bulk/run-plan.ts';
import { refuseBadRows } from '../bulk/show-plan.ts';
import { missingFailure, tellTransfer } from './tell-transfer.ts';
import type { TransferFlags } from './transfer-flags.ts';

export interface TransferRun {
  /** As it stands on the line: `restore-from`. */
  command: string;
  /** What the records come from, for sentences and for the list of runs. */
  called: string;
  source: Source;
  from: string | null;
  resources: readonly Resource[];
  /** The account that is written to. */
  session: Session;
  isSameAccount: boolean;
  references: readonly GivenReference[];
  flags: TransferFlags;
}

export async function runTransfer(run: TransferRun, context: Context): Promise<Result> {
  const { command, called, session, flags, resources } = run;
  const isKept = !context.globals.dryRun;
  const ledger = beginLedger({ command, source: run.from, flags, isKept, context });
  try {
    const areSame = run.isSameAccount || flags.sameReferences === true;
    const transfer: Transfer = {
      ledger,
      session,
      source: run.source,
      resources,
      isSameAccount: run.isSameAccount,
      withDeleted: flags.withDeleted === true,
      withReferences: flags.withReferences === true,
      skipMissing: flags.skipMissing === true,
      denied: await deniedFields(session, session.api.collections),
      idOfReference: await referenceIds(session, run.references, { areSame }),
      findings: new Findings(),
      beforeMatching: async () => {
        const named = new Set(ledger.countsByResource().map(({ resource }) => resource));
        ledger.lockedBy(
          await lockRun(
            { account: () => accountInUse(session), resources: [...named], flags, command },
            context,
          ),
        );
      },
      onRows: steadyHeap(context),
    };
    await planned(transfer, context);
    tellTransfer(transfer, context);
    const missing = missingFailure(transfer.findings, session.api);
    if (missing) throw missing;
    const words = {
      called,
      resource: { noun: 'record', nouns: 'records' },
      // What is made is counted; what is there and would become something else is worth reading.
      isOnlyExistingListed: true,
    };
    const bad = refuseBadRows(ledger, words, flags);
    const discard = async () => ledger.discard();
    if (bad) return { ...bad, hasResources: true, end: () => bad.end().finally(discard) };
    const asked = [command, run.from, resources.map(({ name }) => name), flags, run.references];
    noteRows(ledger, { mark: markOfRows(asked), isFound: true });
    return { ...(await runPlan({ ledger, session, flags, words }, context)), hasResources: true } as Result;
  } catch (error) {
    // Nothing was sent yet.
    ledger.discard();
    throw error;
  }
}

async function planned(transfer: Transfer, { streams }: Context): Promise<void> {
  const bar = partsProgress(streams);
  let count = 0;
  const begin = (label: string) => {
    count = 0;
    bar.begin(label);
  };
  const onRows = (more: number) => {
    transfer.onRows?.(more);
    count += more;
    bar.update(count);
  };
  begin('Reading records');
  try {
    await planTransfer({ ...transfer, onRows }, ({ nouns }) => begin(`Comparing ${nouns}`));
  } finally {
    bar.done();
  }
}
