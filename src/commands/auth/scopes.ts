/** `boh auth scopes` and `boh auth can`: show which commands the token allows. */

import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { type Operation, operations } from '../../contract/operation.ts';
import { type Scope, scopes as scopeDescriptions, scopeNames } from '../../contract/scope.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { missingScopesFailure, TokenScopes } from '../../session/permissions.ts';
import { requireToken } from '../../settings/settings.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import { Command } from '../command.ts';
import { resolveResource } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';

/** Returns the command `boh auth scopes`. */
export function scopesCommand(context: Context): Command {
  return prepare(new Command('scopes'))
    .description('Show which commands the token allows, as a table of resources and verbs.')
    .action(createAction(context, () => showScopes(context)));
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

/** Returns the command `boh auth can`. */
export function canCommand(context: Context): Command {
  return prepare(new Command('can'))
    .description('Check whether the token allows a command. Exits with 0 if it does, with 4 if not.')
    .argument('<resource>', 'for example inventory-items')
    .argument('<verb>', 'for example delete')
    .examples('boh auth can inventory-items delete && boh inventory-items delete @SKU-001')
    .action(createAction(context, (resource: string, verb: string) => checkCommand(resource, verb, context)));
}

async function checkCommand(resource: string, verb: string, context: Context): Promise<Result> {
  const operation = await resolveOperation(resource, verb, context.api);
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

async function resolveOperation(resourceName: string, verb: string, api: Api): Promise<Operation> {
  const resource = resolveResource(resourceName, api);
  const operationsOfResource = operations(resource);
  const operation = operationsOfResource.find(
    (candidate) => candidate.verb === (verb === 'ls' ? 'list' : verb),
  );
  if (operation) return operation;
  throw await unknownVerbFailure(
    `${resource.command} has no verb "${verb}".`,
    verb,
    operationsOfResource.map((candidate) => candidate.verb),
  );
}

async function unknownVerbFailure(
  message: string,
  verb: string,
  allowed: readonly string[],
): Promise<Failure> {
  return usage(`${message}${didYouMean(verb, allowed)}`, {
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
