/** Prepares a run that is in a ledger for sending: its account, flags, locks and secrets. */
import type { Context } from '../../context/context.ts';
import { remainingSecrets } from '../../manifest/apply/secrets.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { undoingOf } from '../../runs/ledger/undoing.ts';
import type { WhoChanged } from '../../runs/recheck-rows.ts';
import type { SecretsOf } from '../../runs/secrets.ts';
import { demandOwner, type FileOwner, type NamedFile } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { TableShape } from '../../tables/failed-rows.ts';
import { openWhoChanged } from '../history/open-history.ts';
import { checkFailed } from './end-run.ts';
import { lockLedger, remainingResources } from './lock-run.ts';
import type { RunFlags } from './run-flags.ts';
import { runSession, withKept } from './run-session.ts';

export interface Reopening<Flags extends RunFlags> {
  ledger: Ledger;
  owner: FileOwner;
  /** How messages name the ledger if it belongs to another account. */
  file: NamedFile & { isAny: boolean | undefined };
  /** The flags as commander returns them. A flag that is not given has the value with which the run began. */
  flags: Flags;
  /** The name that waiting runs show. */
  command: string;
}

export interface ReopenedRun<Flags extends RunFlags> {
  session: Session;
  flags: Flags;
  secretsOf: SecretsOf | undefined;
  who: WhoChanged;
  /** Closes the files from which secrets and history were read. */
  close(): Promise<void>;
}

/** Reopens the run of a ledger. Throws before anything is sent, and before the ledger changes if it belongs to another account. */
export async function reopenRun<Flags extends RunFlags>(
  { ledger, owner, file, flags: typed, command }: Reopening<Flags>,
  context: Context,
): Promise<ReopenedRun<Flags>> {
  const { env, api } = context;
  const flags = withKept(typed, ledger.fact('flags'));
  await checkFailed(flags.failed, { form: (ledger.fact('shape') as TableShape | undefined)?.form });
  const session = await runSession(context, flags);
  await demandOwner(session, owner, { ...file, env });
  ledger.recover();
  ledger.recoverLost();
  context.kept.undoing = undoingOf(ledger);
  const secrets = await remainingSecrets(ledger, env, api);
  const resources = remainingResources(ledger);
  await lockLedger(ledger, { account: session, resources, flags, command }, context);
  const changed = await openWhoChanged(ledger, context);
  return {
    session,
    flags,
    secretsOf: secrets.secretsOf,
    who: changed.who,
    close: async () => {
      changed.close();
      await secrets.close();
    },
  };
}
