/** The scopes of the token, for the commands that are about them: what is known here, else what the service says. */
import { scopeNames } from '../../contract/scope.ts';
import { usage } from '../../errors.ts';
import { tokenScopes } from '../../session/token-scopes.ts';
import { requireToken } from '../../settings/settings.ts';
import type { Context } from '../context.ts';

/** Undefined where neither the token nor the service says. Throws `not_signed_in` where there is no token. */
export async function allowedScopes(context: Context): Promise<readonly string[] | undefined> {
  const settings = await context.settings();
  // Whoever has no token of a sandbox is its owner.
  if (settings.sandbox === undefined) requireToken(settings);
  const known = tokenScopes(settings, context.env).known();
  if (known) return known.scopes;
  if (context.globals.dryRun) throw usage('The service would have to be asked, and --dry-run sends nothing.');
  const { scopes } = await (await context.session()).whoami();
  return scopes?.includes('*') ? scopeNames : scopes;
}
