/** A transfer from its plan to its end: planned in a ledger, told, confirmed, carried out. */

import type { LedgerRow } from '../../bulk/ledger/row.ts';
import { markOfRows, noteRows } from '../../bulk/ledger/same-rows.ts';
import { deniedFields } from '../../bulk/transfer/denied-fields.ts';
import { planTransfer } from '../../bulk/transfer/plan-transfer.ts';
import type { GivenReference } from '../../bulk/transfer/reference-ids.ts';
import { referenceIds } from '../../bulk/transfer/reference-ids.ts';
import type { Source } from '../../bulk/transfer/source.ts';
import { Findings, type Transfer } from '../../bulk/transfer/transfer.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Context } from '../../interaction/context.ts';
import type { Result, RunResult } from '../../interaction/output/result.ts';
import { steadyHeap } from '../../interaction/output/steady-heap.ts';
import { accountInUse } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { partsProgress } from '../../terminal/progress.ts';
import { beginLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import { carriedOut } from '../bulk/run.ts';
import { confirmPlan, plannedRows, refuseBadRows } from '../bulk/show-plan.ts';
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

const words = { noun: 'record', nouns: 'records' };

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
    // What is made is counted; what is there and would become something else is worth reading.
    const isPreviewed = ({ id }: LedgerRow) => id !== null;
    const plan = { ledger, resource: words, called, session, isPreviewed };
    const bad = refuseBadRows(plan, flags);
    const discard = async () => ledger.discard();
    if (bad) return withResources({ ...bad, end: () => bad.end().finally(discard) });
    if (context.globals.dryRun) return withResources(await plannedRows(plan, flags, context, discard));
    await confirmPlan(plan, context);
    const asked = [command, run.from, resources.map(({ name }) => name), flags, run.references];
    noteRows(ledger, { mark: markOfRows(asked), isFound: true });
    const onEnd = async () => ledger.close();
    return await carriedOut({ ledger, session, flags, context, onEnd });
  } catch (error) {
    // Nothing was sent yet.
    ledger.discard();
    throw error;
  }
}

function withResources(result: RunResult): RunResult {
  return { ...result, hasResources: true };
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
