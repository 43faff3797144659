/** Opens the session of a command, with the sandbox, the rate limit, the history and the prompts. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Pace } from '../../account/client/pace.ts';
import { openPace, parseLimit } from '../../account/pace/pace.ts';
import type { Embedded } from '../../account/session/connection.ts';
import { SentWrites, type WriteObserver } from '../../account/session/observed-writes.ts';
import { Session } from '../../account/session/session.ts';
import type { Settings } from '../../account/settings/settings.ts';
import type { Api } from '../../api/contract/api.ts';
import { deployedApi } from '../../api/deployments/deployment.ts';
import { requireDeployment } from '../../api/deployments/index.ts';
import { appFolder } from '../../base/app-folders.ts';
import { once } from '../../base/once.ts';
import type { Variant } from '../../sandbox/business/settings.ts';
import { sandboxFile } from '../../sandbox/store/sandbox-files.ts';
import type { Context, Traffic } from '../context/context.ts';
import { approveWrites, noteIrreversible } from '../prompts/confirm.ts';
import { idPrompts } from '../prompts/missing-input.ts';
import { note, report, warn } from '../terminal/messages.ts';
import { showWaiting, showWaitingForSeries } from '../terminal/progress.ts';

export { unknownVariableWarnings } from '../../account/settings/environment-variables.ts';
export { loadSettings } from '../../account/settings/store.ts';

/** Returns the API with the additions of the account's kind of service, which the settings name. */
export function apiFor(base: Api, { like }: Pick<Settings, 'like'>): Promise<Api> {
  return deployedApi(base, like === undefined ? undefined : requireDeployment(like));
}

/** Opens a session with settings and with the global flags of the command line. `base` is the API without additions. */
export async function sessionFor(
  settings: Settings,
  context: Context,
  base: Api,
  signal: AbortSignal,
  traffic?: Traffic,
): Promise<Session> {
  const { env, globals, streams } = context;
  const api = await apiFor(base, settings);
  context.sent ??= new SentWrites();
  const host = hostOf(settings);
  const session: Session = new Session({
    api,
    settings,
    env,
    signal,
    dryRun: globals.dryRun,
    offline: globals.offline,
    unchecked: globals.unchecked,
    strictValues: globals.strictValues,
    onWarning: createWarner(context),
    onNote: (message) => note(streams, message),
    embedded: (name) => openEmbedded(name, settings, api, context),
    concurrency: traffic?.concurrency,
    isPacedEmbedded: traffic?.isRateSet,
    observers: [
      irreversibleWriteReporter(context),
      ...(settings.history.journal ? [historyRecorder(() => session, context)] : []),
      context.sent,
    ],
    paceFor: (key) => openAccountPace(key, settings, context),
    approve: (account, call) => approveWrites(context, account, call),
    // With --yes, boh never asks questions.
    choose:
      streams.interactive && !globals.yes
        ? async (choice, session) => {
            const { chooseRecord } = await idPrompts();
            return chooseRecord(context, session, choice);
          }
        : undefined,
    onWait: (reason, ms) => {
      if (!streams.quiet) warn(streams, `${reason} Trying again in ${Math.ceil(ms / 1000)} s.`);
    },
    onRequest: showWaitingForSeries(streams, `Waiting for ${host}`),
    onResponse: globals.verbose
      ? ({ method, target }, { status }, ms) => report(streams, `${method} ${target}: ${status} in ${ms} ms`)
      : undefined,
  });
  return session;
}

function createWarner({ streams }: Context): (message: string) => void {
  const shown = new Set<string>();
  return (message) => {
    if (!shown.has(message) && !streams.quiet) warn(streams, `Warning: ${message}`);
    shown.add(message);
  };
}

/** Reports writes that can't be undone, before the confirmation and before they are sent. */
function irreversibleWriteReporter(context: Context): WriteObserver {
  return {
    onPlanned: async (writes) => noteIrreversible(writes, context),
  };
}

/** Records writes in the journal, which is loaded with the first write. */
function historyRecorder(session: () => Session, context: Context): WriteObserver {
  const recorder = once(async () => {
    const { createRecorder } = await import('../commands/history/recording.ts');
    return createRecorder(session().settings, context, () => session().folder());
  });
  return {
    beforeWrite: async (write, reader) => (await recorder()).beforeWrite(write, reader),
    beforeBatch: async (batch, reader) => (await recorder()).beforeBatch(batch, reader),
    inTurn: async (work) => (await recorder()).inTurn(work),
    afterSend: async (write, outcome) => (await recorder()).afterSend(write, outcome),
    unfinishedParts: async (run) => (await recorder()).unfinishedParts(run),
    onReconciled: async (part, result) => (await recorder()).onReconciled(part, result),
    onRunEnded: async (unsent) => (await recorder()).onRunEnded(unsent),
  };
}

function hostOf({ sandbox, baseUrl = '' }: Settings): string {
  return sandbox === undefined ? (URL.parse(baseUrl)?.host ?? baseUrl) : 'the sandbox';
}

async function openAccountPace(key: string, { rate }: Settings, { env, streams }: Context): Promise<Pace> {
  const file = join(appFolder(env, 'cache'), 'pace.sqlite');
  const configuredLimit = rate === undefined ? undefined : parseLimit(rate);
  return openPace({
    file,
    key,
    configuredLimit,
    onWait: (message) => streams.quiet || report(streams, message),
  });
}

/** Opens the embedded sandbox, which runs in this process. */
async function openEmbedded(
  name: string,
  { apiPrefix, like }: Settings,
  api: Api,
  context: Context,
): Promise<Embedded> {
  const { env, signal, streams } = context;
  const { openSandbox } = await import('../../sandbox/service.ts');
  const file = sandboxFile(env, name);
  const defaults = like === undefined ? {} : (requireDeployment(like).variant as Partial<Variant>);
  // Creating a sandbox blocks this process, so the progress line is printed first.
  const hideProgress = existsSync(file) ? undefined : showWaiting(streams, 'Preparing the sandbox', 0);
  const sandbox = await openSandbox({ api, file, apiPrefix, defaults, signal });
  hideProgress?.();
  context.sandboxNow = () => new Date(sandbox.clock.now());
  return {
    handle: (request, signal) => sandbox.respond(request, { signal }),
    ownerToken: () => sandbox.ownerToken(),
    close: () => sandbox.close(),
  };
}
