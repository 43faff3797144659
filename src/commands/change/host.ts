/** Connects the engine of change sets to the command line: session, history and locks. */
import type { Host } from '../../changes/host.ts';
import type { Context } from '../../context/context.ts';
import { note } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import { lockLedger } from '../bulk/lock-run.ts';
import { openRunSession } from '../bulk/run-session.ts';
import { openHistory } from '../history/open-history.ts';
import { completeHistory } from '../history/undo.ts';

/** Returns the host of a command that runs change sets. It doesn't ask for confirmation: change sets are confirmed when they are created. */
export function createHost(context: Context): Host {
  const { env, globals, recordedWrites, signal, streams } = context;
  globals.yes = true;
  recordedWrites.isUndoShown = true;
  return {
    env,
    signal,
    now: () => context.now().getTime(),
    open: async ({ change, undoing }) => {
      Object.assign(recordedWrites, { change, undoing });
      const { history } = await context.settings();
      // The end of a change set restores the earlier values from the history.
      history.required = history.journal;
      return openRunSession(context, {});
    },
    history: async (run) => {
      if (run !== undefined) await completeHistory([run], context);
      return openHistory(context);
    },
    lock: async (ledger, session, resources) => {
      const command = String(ledger.property('command'));
      await lockLedger(ledger, { account: session, resources, flags: {}, command }, context);
    },
    progress: (total) => startProgress(streams, { label: 'Sending', total }),
    onWait: (reason) => note(streams, reason),
  };
}
