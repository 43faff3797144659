/** `boh sandbox status`: what is in a sandbox, and where it is; `boh sandbox check`: whether its file is whole. */

import { existsSync } from 'node:fs';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { present, presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { problemsOf } from '../../sandbox/check.ts';
import { faultPlan } from '../../sandbox/faults/stored.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { fileOf, type NamedOptions, nameOption, sandboxName, withSandbox } from './named.ts';

export function statusCommand(context: Context): Command {
  return prepare(new Command('status'))
    .description('Show what is in a sandbox, where its file is and what time it is there.')
    .addOption(nameOption())
    .action(presented(context, (options: NamedOptions) => show(options, context)));
}

async function show(options: NamedOptions, context: Context): Promise<Result> {
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

export function checkCommand(context: Context): Command {
  return prepare(new Command('check'))
    .description('Find out whether a sandbox’s file is whole. Ends with 8 where it is not.')
    .addOption(nameOption())
    .action((options: NamedOptions) => check(options, context));
}

async function check(options: NamedOptions, context: Context): Promise<void> {
  const { api, signal } = context;
  const name = await sandboxName(context, options);
  const file = await fileOf(context, { name });
  if (!existsSync(file)) throw usage(`There is no sandbox "${name}".`, { hint: `It would be ${file}.` });
  const problems = await problemsOf({ api, file, signal });
  const isWhole = problems.length === 0;
  const text = isWhole ? `The sandbox "${name}" is whole.` : problems.join('\n');
  await present(context, { kind: 'facts', facts: { name, file, is_whole: isWhole, problems }, text });
  if (isWhole) return;
  throw new Failure('unavailable', `The sandbox "${name}" is damaged.`, {
    hint: `boh sandbox reset --name ${name} sets ${file} aside and makes a new one; boh sandbox snapshot list shows what to go back to.`,
  });
}
