/** `boh auth can RESOURCE VERB`: whether the token allows a command, as an answer and as an exit code. */
import { Command } from 'commander';
import type { Api } from '../../contract/api.ts';
import { type Operation, operations } from '../../contract/operation.ts';
import { scopes as meanings, type Scope } from '../../contract/scope.ts';
import { Failure, usage } from '../../errors.ts';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';
import { allowedScopes } from './allowed-scopes.ts';

export function canCommand(context: Context): Command {
  return prepare(new Command('can'))
    .description('Say whether the token allows a command. Exit 0 if it does, 4 if not.')
    .argument('<resource>', 'such as inventory-items')
    .argument('<verb>', 'such as delete')
    .addHelpText(
      'after',
      '\nExample:\n  boh auth can inventory-items delete && boh inventory-items delete @SKU-001',
    )
    .action((resource: string, verb: string) => answer(resource, verb, context));
}

async function answer(resource: string, verb: string, context: Context): Promise<void> {
  const operation = await operationNamed(resource, verb, context.api);
  const command = `${operation.resource.command} ${operation.verb}`;
  const allowed = await allowedScopes(context);
  if (operation.scopes.length === 0) {
    return note(context.streams, `Yes, as far as is known: no scope is documented for \`${command}\`.`);
  }
  if (allowed === undefined) {
    throw new Failure('unavailable', 'The service does not say which scopes the token has.');
  }
  const given = operation.scopes.find((scope) => allowed.includes(scope));
  if (given === undefined) throw refusal(command, operation.scopes);
  note(context.streams, `Yes: the token has ${given}, which is enough for \`${command}\`.`);
  for (const { scope, names } of ownScopes(operation)) {
    if (!allowed.includes(scope))
      note(context.streams, `But not to set ${names.join(' or ')}: that needs ${scope}.`);
  }
}

function refusal(command: string, scopes: readonly Scope[]): Failure {
  const [first] = scopes;
  const need = scopes.length === 1 ? `the scope ${first}` : `one of the scopes ${scopes.join(' and ')}`;
  return new Failure('not_allowed', `No: \`${command}\` needs ${need}, which the token does not have.`, {
    hint: scopes.map((scope) => `${scope}: ${meanings[scope]}.`).join('\n'),
  });
}

/** Fields that need a scope of their own. */
function ownScopes({ body }: Operation): { scope: Scope; names: string[] }[] {
  const fields = body.flatMap(({ name, field: { traits } }) =>
    traits.writeScope ? [{ name, scope: traits.writeScope }] : [],
  );
  const byScope = Object.groupBy(fields, ({ scope }) => scope);
  return Object.entries(byScope).map(([scope, found]) => ({
    scope: scope as Scope,
    names: found.map(({ name }) => name),
  }));
}

async function operationNamed(word: string, verb: string, api: Api): Promise<Operation> {
  const resource = api.resourceCalled(word);
  if (!resource)
    throw await unknown(
      `There is no resource "${word}".`,
      word,
      api.resources.map(({ command }) => command),
    );
  const known = operations(resource);
  const operation = known.find((candidate) => candidate.verb === (verb === 'ls' ? 'list' : verb));
  if (operation) return operation;
  throw await unknown(
    `${resource.command} has no verb "${verb}".`,
    verb,
    known.map((candidate) => candidate.verb),
  );
}

async function unknown(message: string, word: string, allowed: readonly string[]): Promise<Failure> {
  const { didYouMean } = await import('../../suggest.ts');
  return usage(`${message}${didYouMean(word, allowed)}`, { hint: 'See them all: boh resources' });
}
