/** `boh resources`: everything there is, with its verbs and the scopes they need. */
import { Command } from 'commander';
import { operations } from '../contract/operation.ts';
import { api } from '../resources/index.ts';
import { write } from '../terminal/streams.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { outputName } from './showing/output.ts';

export function resourcesCommand(context: Context): Command {
  return prepare(new Command('resources'))
    .description('List all resources with their verbs and the scopes they need.')
    .action(() => run(context));
}

async function run(context: Context): Promise<void> {
  const { streams } = context;
  const rows = api.resources.map((resource) => ({
    resource: resource.command,
    summary: resource.summary,
    verbs: operations(resource).map(({ verb, scopes }) => ({ verb, scopes })),
  }));
  const name = await outputName(context);
  if (name !== 'table') {
    const { loadFormat } = await import('../terminal/formats/format.ts');
    const format = await loadFormat(name, { terminal: streams.isTerminal.out });
    if (name === 'json') return write(streams.stdout, format.one(rows));
    for await (const text of format.many(rows)) await write(streams.stdout, text);
    return;
  }
  const { renderTable } = await import('../terminal/table.ts');
  const columns = [
    { name: 'resource', header: 'resource', whole: true },
    {
      name: 'verbs',
      header: 'verbs',
      show: (value: unknown) => (value as { verb: string }[]).map(({ verb }) => verb).join(' '),
    },
    { name: 'scopes', header: 'scopes', value: (row: Record<string, unknown>) => scopesOf(row) },
  ];
  const width = streams.isTerminal.out ? streams.columns : undefined;
  const table = renderTable(columns, rows, { width, colour: streams.colour.out, unicode: streams.unicode });
  await write(streams.stdout, table.text);
}

function scopesOf({ verbs }: Record<string, unknown>): string {
  const all = (verbs as { scopes: readonly string[] }[]).flatMap(({ scopes }) => scopes);
  return [...new Set(all)].join(' ');
}
