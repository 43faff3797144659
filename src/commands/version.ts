/** `boh version`: shows the versions of boh, Node and SQLite, for bug reports. */
import { version } from '../base/version.ts';
import type { Context } from '../context/context.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';

/** Returns the command `boh version`. */
export function versionCommand(context: Context): Command {
  return prepare(new Command('version'))
    .description('Show the versions of boh, Node and SQLite, and the platform, for bug reports.')
    .action(createAction(context, run));
}

function run(): Result {
  const { platform, arch, versions } = process;
  const versionData = { boh: version, node: versions.node, platform, arch, sqlite: versions.sqlite ?? null };
  const lines = Object.entries(versionData).map(([name, value]) => `${name} ${value ?? '-'}`);
  return { kind: 'data', data: versionData, isForPeople: true, text: lines.join('\n') };
}
