/** `boh version`: what runs on what, for a report of a fault. */
import { Command } from 'commander';
import type { Context } from '../interaction/context.ts';
import { presented } from '../interaction/output/present.ts';
import type { Result } from '../interaction/output/result.ts';
import { version } from '../version.ts';
import { prepare } from './prepare.ts';

export function versionCommand(context: Context): Command {
  return prepare(new Command('version'))
    .description('Say what runs on what.')
    .action(presented(context, run));
}

function run(): Result {
  const { platform, arch, versions } = process;
  const facts = { boh: version, node: versions.node, platform, arch, sqlite: versions.sqlite ?? null };
  const text = Object.entries(facts).map(([what, value]) => `${what} ${value ?? '-'}`);
  return { kind: 'facts', facts, isForPeople: true, text: text.join('\n') };
}
