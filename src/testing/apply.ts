/** Applies manifests to an open sandbox, as `boh apply` does to an account. */
import type { Session } from '../account/session/session.ts';
import type { Environment } from '../base/environment.ts';
import { createTemporaryFolder } from '../base/temporary-folder.ts';
import { applyPlan, throwIfFailed } from '../engine/manifest/apply/apply-plan.ts';
import { type Declaration, requireRecords } from '../engine/manifest/declared/declared.ts';
import { readManifestTexts } from '../engine/manifest/declared/read-manifests.ts';
import { type ManifestPlan, makePlan } from '../engine/manifest/plan/make-plan.ts';
import type { ControlServices } from '../sandbox/control/operations.ts';
import type { Sandbox } from '../sandbox/service.ts';
import { openSandboxSession } from './session.ts';

interface ApplyOptions {
  /** The variables for secrets in the declaration. */
  env: Environment;
  signal: AbortSignal;
  /** The manifests in messages. */
  name: string;
}

/** Applies a declaration, without the user's settings. Returns the plan. Throws if it is invalid or the sandbox rejects a record. */
export async function applyDeclaration(
  sandbox: Sandbox,
  declaration: Declaration,
  { env, signal, name }: ApplyOptions,
): Promise<ManifestPlan> {
  if (!declaration.errors) requireRecords(declaration);
  return withSession(sandbox, signal, async (session) => {
    const plan = await makePlan({ session, declaration, prune: [], signal });
    const results = await applyPlan(plan, { session, env, signal, now: Date.now });
    throwIfFailed(results, `The sandbox rejected records of ${name}`);
    return plan;
  });
}

/** Opens a session of the owner without the user's settings, and calls `work` with it. */
async function withSession<T>(
  sandbox: Sandbox,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const scratch = createTemporaryFolder('apply');
  try {
    const folders = { BOH_CONFIG_DIR: scratch.path };
    const options = { signal };
    const session = await openSandboxSession(sandbox, folders, sandbox.apiPrefix, options, sandbox.variant());
    const result = await work(session);
    await session.close();
    return result;
  } finally {
    scratch.remove();
  }
}

/** Returns what the control of sandboxes needs. `signal` ends what it has begun. */
export function controlServices(signal: AbortSignal): ControlServices {
  return {
    async applyContents(sandbox, manifests) {
      const texts = manifests.map((content) =>
        typeof content === 'string' ? content : JSON.stringify(content),
      );
      const declaration = await readManifestTexts(texts, { api: sandbox.api, signal });
      await applyDeclaration(sandbox, declaration, { env: {}, signal, name: 'the manifests' });
    },
    idOf: async (sandbox, target, text) =>
      text.startsWith('@') ? withSession(sandbox, signal, ({ names }) => names.idOf(target, text)) : text,
  };
}
