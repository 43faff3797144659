/** `boh version`: what runs on what, for a report of a fault. */
import { Command } from 'commander';
import { write } from '../terminal/streams.ts';
import { version } from '../version.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { outputName } from './showing/output.ts';

export function versionCommand(context: Context): Command {
  return prepare(new Command('version'))
    .description('Say what runs on what.')
    .action(() => run(context));
}

async function run(context: Context): Promise<void> {
  const { platform, arch, versions } = process;
  const facts = { boh: version, node: versions.node, platform, arch, sqlite: versions.sqlite ?? null };
  const name = await outputName(context);
  if (name === 'table') {
    const lines = Object.entries(facts).map(([what, value]) => `${what} ${value ?? '-'}\n`);
    return write(context.streams.stdout, lines.join(''));
  }
  const { loadFormat } = await import('../terminal/formats/format.ts');
  await write(context.streams.stdout, (await loadFormat(name)).one(facts));
}
