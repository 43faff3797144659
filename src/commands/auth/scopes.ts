/** `boh auth scopes`: each operation of the contract against the scopes of the token. */
import { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { scopeRefusal } from '../../session/permit.ts';
import type { Row } from '../../terminal/value-at.ts';
import type { Context } from '../context.ts';
import { presented } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { prepare } from '../prepare.ts';
import { allowedScopes } from './allowed-scopes.ts';

export function scopesCommand(context: Context): Command {
  return prepare(new Command('scopes'))
    .description('Show which commands the token allows.')
    .action(presented(context, () => showScopes(context)));
}

interface Allowance {
  resource: string;
  verb: string;
  /** Any one of these is enough. */
  scopes: readonly string[];
  allowed: boolean;
}

async function showScopes(context: Context): Promise<Result> {
  const scopes = await allowedScopes(context);
  if (scopes === undefined) {
    throw new Failure('unavailable', 'The service does not say which scopes the token has.');
  }
  const rows = context.api.operations.map((operation) => allowance(operation, scopes));
  const { length } = rows.filter(({ allowed }) => allowed);
  return {
    kind: 'facts',
    facts: rows,
    shown: ({ unicode }) => matrix(rows, unicode ? ['✓', '✗'] : ['yes', 'no']),
    columns,
    remarks: [`The token allows ${length} of ${rows.length} commands.`],
  };
}

function allowance(operation: Operation, scopes: readonly string[]): Allowance {
  const { resource, verb } = operation;
  const allowed = scopeRefusal({ operation }, scopes) === undefined;
  return { resource: resource.command, verb, scopes: operation.scopes, allowed };
}

const usual = ['list', 'get', 'create', 'update', 'delete', 'restore'];

const columns = ['resource', ...usual, 'other', 'missing'].map((name) => ({
  name,
  whole: name === 'resource',
}));

/** A line for each resource, a column for each verb that most of them have; the other verbs have lines of their own. */
function matrix(rows: readonly Allowance[], [yes, no]: readonly [string, string]): Row[] {
  const mark = ({ allowed }: Allowance) => (allowed ? yes : no);
  return Object.entries(Object.groupBy(rows, ({ resource }) => resource)).flatMap(
    ([resource, found = []]) => {
      const missing = found.flatMap(({ allowed, scopes }) => (allowed ? [] : [scopes.join(' or ')]));
      const marks = Object.fromEntries(found.map((row) => [row.verb, mark(row)]));
      const others = found.filter(({ verb }) => !usual.includes(verb));
      return [
        { resource, ...marks, missing: missing.length > 0 ? [...new Set(missing)] : null },
        ...others.map((row) => ({ resource: `  ${row.verb}`, other: mark(row) })),
      ];
    },
  );
}
