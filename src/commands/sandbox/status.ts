/** `boh sandbox status`: what is in a sandbox, and where it is. */
import { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { prepare } from '../prepare.ts';
import { type NamedOptions, nameOption, sandboxName, withSandbox } from './named.ts';

export function statusCommand(context: Context): Command {
  return prepare(new Command('status'))
    .description('Show what is in a sandbox, where its file is and what time it is there.')
    .addOption(nameOption())
    .action(presented(context, (options: NamedOptions) => show(options, context)));
}

async function show(options: NamedOptions, context: Context): Promise<Result> {
  const { faultPlan } = await import('../../sandbox/faults/stored.ts');
  const name = await sandboxName(context, options);
  const status = await withSandbox(context, { name }, (sandbox) => {
    const { file, bytes, records, clock } = sandbox.status();
    return {
      name,
      file,
      bytes,
      clock: { now: clock.now, is_frozen: clock.isFrozen, ahead_seconds: clock.aheadSeconds },
      fault_rules: faultPlan(sandbox.database)?.rules.length ?? 0,
      records,
    };
  });
  const lines = [
    `Sandbox  ${status.name}`,
    `File     ${status.file} (${Math.ceil(status.bytes / 1024)} KB)`,
    `Clock    ${status.clock.now} UTC${status.clock.is_frozen ? ', stopped' : ''}`,
    `Faults   ${status.fault_rules === 0 ? 'none' : `${status.fault_rules} rules`}`,
    '',
    ...Object.entries(status.records).map(([name, { active, deleted }]) => {
      const also = deleted > 0 ? `  (${deleted} deleted)` : '';
      return `${String(active).padStart(7)}  ${name.replaceAll('_', ' ')}${also}`;
    }),
  ];
  return { kind: 'facts', facts: status, text: lines.join('\n') };
}
