/** `boh resources`: lists all resources with their verbs and scopes. */
import type { Context } from '../context/context.ts';
import type { Api } from '../contract/api.ts';
import { operations } from '../contract/operation.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import type { Column } from '../terminal/table.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';

/** Returns the command `boh resources`. */
export function resourcesCommand(context: Context): Command {
  return prepare(new Command('resources'))
    .description('List all resources with their verbs and the scopes they need.')
    .action(createAction(context, () => run(context.api)));
}

function run({ resources }: Api): Result {
  const rows = resources.map((resource) => ({
    resource: resource.command,
    summary: resource.summary,
    verbs: operations(resource).map(({ verb, scopes }) => ({ verb, scopes })),
  }));
  return { kind: 'data', data: rows, columns, idField: 'resource' };
}

const columns: readonly Column[] = [
  { name: 'resource', isIndivisible: true },
  { name: 'verbs', show: (verbs) => (verbs as { verb: string }[]).map(({ verb }) => verb).join(' ') },
  { name: 'scopes', value: scopesOf },
];

function scopesOf({ verbs }: ShownRow): string {
  const scopeNames = (verbs as { scopes: readonly string[] }[]).flatMap(({ scopes }) => scopes);
  return [...new Set(scopeNames)].join(' ');
}
