/** Prepares a stored run for sending: its account, flags, locks and secrets. */
import type { Context } from '../../context/context.ts';
import { remainingSecrets } from '../../manifest/apply/secrets.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { undoingOf } from '../../runs/ledger/undo-target.ts';
import type { DescribeChange } from '../../runs/recheck-rows.ts';
import type { ReadSecrets } from '../../runs/secrets-reader.ts';
import type { AccountIdentity } from '../../session/account.ts';
import { type OwnerCheck, requireOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { StoredTableFormat } from '../../tables/failed-rows.ts';
import { openChangeHistory } from '../history/open-history.ts';
import { checkFailedFile } from './end-run.ts';
import { lockLedger, remainingResources } from './lock-run.ts';
import type { RunFlags } from './run-flags.ts';
import { openRunSession, withStoredFlags } from './run-session.ts';

export interface ReopenOptions<Flags extends RunFlags> {
  ledger: Ledger;
  owner: AccountIdentity;
  /** The name of the ledger in messages, if it belongs to another account. */
  file: OwnerCheck;
  /** The flags of this command line. Missing flags keep the values with which the run was started. */
  flags: Flags;
  /** The name of this run for runs that wait for it. */
  command: string;
}

/** A run that can be sent again. */
export interface ReopenedRun<Flags extends RunFlags> {
  session: Session;
  flags: Flags;
  secretsOf: ReadSecrets | undefined;
  describeChange: DescribeChange;
  /** Closes the files of secrets and history. */
  close(): Promise<void>;
}

/** Reopens the run of a ledger. Throws before anything is sent, and before the ledger changes if it belongs to another account. */
export async function reopenRun<Flags extends RunFlags>(
  { ledger, owner, file, flags: requestedFlags, command }: ReopenOptions<Flags>,
  context: Context,
): Promise<ReopenedRun<Flags>> {
  const { env, api } = context;
  const flags = withStoredFlags(requestedFlags, ledger.property('flags'));
  await checkFailedFile(flags.failed, (ledger.property('shape') as StoredTableFormat | undefined) ?? {});
  const session = await openRunSession(context, flags);
  await requireOwner(session, owner, file);
  ledger.recover();
  context.recordedWrites.undoing = undoingOf(ledger);
  const secrets = await remainingSecrets(ledger, env, api);
  const resources = remainingResources(ledger);
  await lockLedger(ledger, { account: session, resources, flags, command }, context);
  const changeLookup = await openChangeHistory(ledger, session, context);
  return {
    session,
    flags,
    secretsOf: secrets.secretsOf,
    describeChange: changeLookup.describeChange,
    close: async () => {
      changeLookup.close();
      await secrets.close();
    },
  };
}
