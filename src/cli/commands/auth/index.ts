/** `boh auth …`: signs in and out, and shows the account and the permissions of the token. */

import { parseClaims } from '../../../account/auth/jwt.ts';
import type { Account } from '../../../account/session/account.ts';
import { missingScopesFailure, TokenScopes } from '../../../account/session/permissions.ts';
import { putProfile, requireProfile, signOut } from '../../../account/settings/config.ts';
import { refusalOf } from '../../../account/settings/refused-tokens.ts';
import { requireToken, type Settings } from '../../../account/settings/settings.ts';
import type { Api } from '../../../api/contract/api.ts';
import { type Operation, operations } from '../../../api/contract/operation.ts';
import { type Scope, scopes as scopeDescriptions, scopeNames } from '../../../api/contract/scope.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { warn } from '../../terminal/messages.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import type { Command } from '../command.ts';
import { changeStoredSettings, loadStoredSettings, profileToChange } from '../config.ts';
import { createCommand, groupCommand } from '../declare.ts';
import { resolveResource } from '../flags/shared-flags.ts';
import { accountFields, loginCommand } from './login.ts';

/** Returns the command `boh auth` with its subcommands. */
export function authCommand(context: Context): Command {
  return groupCommand('auth', 'Sign in and out, and show your account and permissions.', [
    loginCommand(context),
    createCommand(context, {
      name: 'status',
      summary: 'Show the account, service and scopes of the token',
      about:
        'Show the account, service and scopes of the token, as stored on this machine. Exits with 3 if there is no token.',
      flags: [['--check', 'also check the token with the service; exits with 3 if it is refused']],
      examples: ['boh auth status', 'boh auth status --check'],
      run: (_, { check = false }) => showStatus(check, context),
    }),
    createCommand(context, {
      name: 'logout',
      summary: 'Remove the token of a profile',
      about: 'Remove the token of the profile in use, or of --profile NAME. The profile keeps its settings.',
      examples: ['boh auth logout', 'boh auth logout --profile shop'],
      run: () => logout(context),
    }),
    createCommand(context, {
      name: 'token',
      summary: 'Print the token, for curl and other programs',
      about: 'Print the token, for curl and other programs. Keep it secret: it gives access to your account.',
      examples: ['curl -H "Authorization: Bearer $(boh auth token)" https://api.example.com/whoami'],
      run: async () => ({
        kind: 'text',
        text: `${requireToken(await context.settings()).reveal()}\n`,
        isSecret: true,
      }),
    }),
    createCommand(context, {
      name: 'scopes',
      summary: 'Show which commands the token allows',
      about: 'Show which commands the token allows, as a table of resources and verbs.',
      run: () => showScopes(context),
    }),
    createCommand(context, {
      name: 'can',
      summary: 'Check whether the token allows a command',
      about: 'Check whether the token allows a command. Exits with 0 if it does, with 4 if not.',
      args: [
        ['<resource>', 'for example inventory-items'],
        ['<verb>', 'for example delete'],
      ],
      examples: ['boh auth can inventory-items delete && boh inventory-items delete @SKU-001'],
      run: ([resource, verb]) => checkCommand(resource, verb, context),
    }),
  ]);
}

async function logout(context: Context): Promise<Result> {
  const { streams, env } = context;
  const { config } = await loadStoredSettings(context);
  const profile = profileToChange(config, context);
  if (profile === undefined) {
    throw usage('No profile is in use.', {
      hint: boh.hint`Specify a profile: ${boh.plain('auth logout', '--profile', 'NAME')}. To list all: ${boh.plain('profiles list')}`,
    });
  }
  const { token, sandbox } = requireProfile(config, profile);
  await changeStoredSettings(context, (before) => signOut(before, profile));
  if (env.BOH_TOKEN && sandbox === undefined)
    warn(streams, 'BOH_TOKEN is still set, and is still used. Unset it to sign out completely.');
  return messageResult(
    token !== undefined
      ? `The token of profile ${profile} was removed. The service still accepts it until it is revoked there.`
      : `Profile ${profile} was not signed in.`,
  );
}

async function showStatus(isChecked: boolean, context: Context): Promise<Result> {
  const settings = await context.settings();
  const token = requireToken(settings);
  const claims = parseClaims(token.reveal());
  const account = isChecked ? await checkToken(settings, context) : undefined;
  const storedScopes = new TokenScopes(settings, context.env).current();
  const statusData = {
    profile: settings.profile ?? null,
    base_url: settings.baseUrl ?? null,
    sandbox: settings.sandbox ?? null,
    token_from: settings.source.token ?? null,
    business: account?.businessName ?? settings.businessName ?? claims?.business ?? null,
    user: account?.userName ?? settings.userName ?? null,
    scopes: account?.scopes ?? storedScopes?.scopes ?? null,
    scopes_from: account?.scopes ? 'service' : (storedScopes?.source ?? null),
    expires_at: claims?.expiresAt?.toISOString() ?? null,
    checked: isChecked,
  };
  if (claims?.expiresAt && claims.expiresAt < context.now()) {
    const message = boh.hint`The token has expired. To sign in again: ${boh.profile('auth login')}`;
    warn(context.streams, message);
  }
  return { kind: 'data', data: statusData };
}

/** Requests the account of the token, and updates the profile. Throws `not_signed_in` if the token is rejected. */
async function checkToken(settings: Settings, context: Context): Promise<Account> {
  refusalOf(settings, context.env).forget();
  const account = await (await context.session()).whoami();
  const { profile, source } = settings;
  if (profile !== undefined && source.token === 'profile') {
    await changeStoredSettings(context, (config) =>
      putProfile(config, profile, (currentProfile) => ({ ...currentProfile, ...accountFields(account) })),
    );
  }
  return account;
}

interface CommandPermission {
  resource: string;
  verb: string;
  /** The scopes that allow the command. One of them is enough. */
  scopes: readonly string[];
  allowed: boolean;
}

async function showScopes(context: Context): Promise<Result> {
  const scopes = await readTokenScopes(context);
  if (scopes === undefined) throw unknownScopesFailure();
  const rows = context.api.operations.map((operation) => permissionOf(operation, scopes));
  const { length } = rows.filter(({ allowed }) => allowed);
  return {
    kind: 'data',
    data: rows,
    dataForPeople: ({ unicode }) => permissionRows(rows, unicode ? ['✓', '✗'] : ['yes', 'no']),
    columns,
    notes: [`The token allows ${length} of ${rows.length} commands.`],
  };
}

function permissionOf(operation: Operation, scopes: readonly string[]): CommandPermission {
  const { resource, verb } = operation;
  const allowed = missingScopesFailure({ operation }, scopes) === undefined;
  return { resource: resource.command, verb, scopes: operation.scopes, allowed };
}

const commonVerbs = ['list', 'get', 'create', 'update', 'delete', 'restore'];

const columns = ['resource', ...commonVerbs, 'other', 'missing'].map((name) => ({
  name,
  isIndivisible: name === 'resource',
}));

/** Returns a row for each resource, with a column for each common verb, and a row for each other verb. */
function permissionRows(
  rows: readonly CommandPermission[],
  [yes, no]: readonly [string, string],
): ShownRow[] {
  const symbolOf = ({ allowed }: CommandPermission) => (allowed ? yes : no);
  return Object.entries(Object.groupBy(rows, ({ resource }) => resource)).flatMap(
    ([resource, verbs = []]) => {
      const missingScopes = verbs.flatMap(({ allowed, scopes }) => (allowed ? [] : [scopes.join(' or ')]));
      const symbols = Object.fromEntries(verbs.map((row) => [row.verb, symbolOf(row)]));
      const otherVerbs = verbs.filter(({ verb }) => !commonVerbs.includes(verb));
      return [
        { resource, ...symbols, missing: missingScopes.length > 0 ? [...new Set(missingScopes)] : null },
        ...otherVerbs.map((row) => ({ resource: `  ${row.verb}`, other: symbolOf(row) })),
      ];
    },
  );
}

async function checkCommand(resource: string, verb: string, context: Context): Promise<Result> {
  const operation = resolveOperation(resource, verb, context.api);
  const command = `${operation.resource.command} ${operation.verb}`;
  const tokenScopes = await readTokenScopes(context);
  if (operation.scopes.length === 0) {
    return messageResult(`Probably yes: the API document lists no scope for \`${command}\`.`);
  }
  if (tokenScopes === undefined) throw unknownScopesFailure();
  const grantedScope = operation.scopes.find((scope) => tokenScopes.includes(scope));
  if (grantedScope === undefined) throw missingScopeFailure(command, operation.scopes);
  const missingFieldScopes = fieldScopes(operation).filter(({ scope }) => !tokenScopes.includes(scope));
  return messageResult(
    `Yes: the token has the scope ${grantedScope}, which allows \`${command}\`.`,
    ...missingFieldScopes.map(({ scope, names }) => `Setting ${names.join(' or ')} also needs ${scope}.`),
  );
}

function missingScopeFailure(command: string, scopes: readonly Scope[]): Failure {
  const [firstScope] = scopes;
  const requiredText =
    scopes.length === 1 ? `the scope ${firstScope}` : `one of the scopes ${scopes.join(' or ')}`;
  return new Failure(
    'not_allowed',
    `No: \`${command}\` needs ${requiredText}, which the token doesn't have.`,
    {
      hint: scopes.map((scope) => `${scope}: ${scopeDescriptions[scope]}.`).join('\n'),
    },
  );
}

/** Returns the additional scopes that some fields need, with those fields. */
function fieldScopes({ body }: Operation): { scope: Scope; names: string[] }[] {
  const fields = body.flatMap(({ name, field: { traits } }) =>
    traits.writeScope ? [{ name, scope: traits.writeScope }] : [],
  );
  const byScope = Object.groupBy(fields, ({ scope }) => scope);
  return Object.entries(byScope).map(([scope, entries]) => ({
    scope: scope as Scope,
    names: entries.map(({ name }) => name),
  }));
}

function resolveOperation(resourceName: string, verb: string, api: Api): Operation {
  const resource = resolveResource(resourceName, api);
  const operationsOfResource = operations(resource);
  const operation = operationsOfResource.find(
    (candidate) => candidate.verb === (verb === 'ls' ? 'list' : verb),
  );
  if (operation) return operation;
  const verbs = operationsOfResource.map((candidate) => candidate.verb);
  throw usage(`${resource.command} has no verb "${verb}".${didYouMean(verb, verbs)}`, {
    hint: boh.hint`To list all: ${boh.plain('resources')}`,
  });
}

/**
 * Returns the scopes of the token: the stored scopes, or otherwise the scopes that the service reports. Returns undefined if the
 * service doesn't report them. Throws `not_signed_in` without a token.
 */
async function readTokenScopes(context: Context): Promise<readonly string[] | undefined> {
  const settings = await context.settings();
  // Without a token, a sandbox acts as its owner.
  if (settings.sandbox === undefined) requireToken(settings);
  const storedScopes = new TokenScopes(settings, context.env).current();
  if (storedScopes) return storedScopes.scopes;
  const { scopes } = await (await context.session()).whoami();
  return scopes?.includes('*') ? scopeNames : scopes;
}

function unknownScopesFailure(): Failure {
  return new Failure('unavailable', "The service doesn't report the scopes of the token.", {
    hint: "Run the command: if the token doesn't allow it, the error names the missing scope.",
  });
}
