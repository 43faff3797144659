/** `boh auth scopes`: each operation of the contract against the scopes of the token. */
import { Command } from 'commander';
import { type Operation, operations } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { resources, whoami } from '../../resources/index.ts';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { lacking } from '../guards/lacking.ts';
import { prepare } from '../prepare.ts';
import { tableText } from '../showing/facts-as-text.ts';
import { printFacts } from '../showing/print-facts.ts';
import { allowedScopes } from './allowed-scopes.ts';

export function scopesCommand(context: Context): Command {
  return prepare(new Command('scopes'))
    .description('Show which commands the token allows.')
    .action(() => showScopes(context));
}

interface Allowance {
  resource: string;
  verb: string;
  /** Any one of these is enough. */
  scopes: readonly string[];
  allowed: boolean;
}

async function showScopes(context: Context): Promise<void> {
  const scopes = await allowedScopes(context);
  if (scopes === undefined) {
    throw new Failure('unavailable', 'The service does not say which scopes the token has.');
  }
  const rows = [...resources, whoami].flatMap(operations).map((operation) => allowance(operation, scopes));
  await printFacts(context, rows, () => matrix(context, rows));
  const { length } = rows.filter(({ allowed }) => allowed);
  note(context.streams, `The token allows ${length} of ${rows.length} commands.`);
}

function allowance(operation: Operation, scopes: readonly string[]): Allowance {
  const { resource, verb } = operation;
  const allowed = lacking({ operation }, scopes) === undefined;
  return { resource: resource.command, verb, scopes: operation.scopes, allowed };
}

const usual = ['list', 'get', 'create', 'update', 'delete', 'restore'];

/** A line for each resource, a column for each verb that most of them have; the other verbs have lines of their own. */
function matrix(context: Context, rows: readonly Allowance[]): Promise<string> {
  const [yes, no] = context.streams.unicode ? ['✓', '✗'] : ['yes', 'no'];
  const mark = ({ allowed }: Allowance) => (allowed ? yes : no);
  const lines = Object.entries(Object.groupBy(rows, ({ resource }) => resource)).flatMap(
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
  const columns = ['resource', ...usual, 'other', 'missing'].map((name) => ({
    name,
    whole: name === 'resource',
  }));
  return tableText(context, columns, lines);
}
