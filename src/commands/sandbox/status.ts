/** `boh sandbox status` shows what a sandbox contains; `boh sandbox check` checks its file for damage. */

import { existsSync } from 'node:fs';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction, present } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { checkSandboxFile } from '../../sandbox/check.ts';
import { readFaultPlan } from '../../sandbox/faults/stored-plan.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { type NamedOptions, nameOption, sandboxFileOf, sandboxName, withSandbox } from './with-sandbox.ts';

/** Returns the command `boh sandbox status`. */
export function statusCommand(context: Context): Command {
  return prepare(new Command('status'))
    .description('Show the records of a sandbox, its file and its clock.')
    .addOption(nameOption())
    .action(createAction(context, (options: NamedOptions) => showStatus(options, context)));
}

async function showStatus(options: NamedOptions, context: Context): Promise<Result> {
  const name = await sandboxName(context, options);
  const status = await withSandbox(context, { name }, (sandbox) => {
    const { file, bytes, records, clock } = sandbox.status();
    return {
      name,
      file,
      bytes,
      clock: { now: clock.now, is_frozen: clock.isFrozen, ahead_seconds: clock.aheadSeconds },
      fault_rules: readFaultPlan(sandbox.database)?.rules.length ?? 0,
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
      const deletedText = deleted > 0 ? `  (${deleted} deleted)` : '';
      return `${String(active).padStart(7)}  ${name.replaceAll('_', ' ')}${deletedText}`;
    }),
  ];
  return { kind: 'data', data: status, text: lines.join('\n') };
}

/** Returns the command `boh sandbox check`. */
export function checkCommand(context: Context): Command {
  return prepare(new Command('check'))
    .description('Check the file of a sandbox for damage. Exits with 8 if it is damaged.')
    .addOption(nameOption())
    .action((options: NamedOptions) => checkSandbox(options, context));
}

async function checkSandbox(options: NamedOptions, context: Context): Promise<void> {
  const { api, signal } = context;
  const name = await sandboxName(context, options);
  const file = await sandboxFileOf(context, { name });
  if (!existsSync(file)) throw usage(`Sandbox "${name}" not found.`, { hint: `Its file would be ${file}.` });
  const problems = await checkSandboxFile({ api, file, signal });
  const isUndamaged = problems.length === 0;
  const text = isUndamaged ? `No damage found in the sandbox "${name}".` : problems.join('\n');
  await present(context, { kind: 'data', data: { name, file, is_whole: isUndamaged, problems }, text });
  if (isUndamaged) return;
  throw new Failure('unavailable', `The sandbox "${name}" is damaged.`, {
    hint: boh.hint`To rename ${file} and create a new one: ${boh.plain('sandbox reset', '--name', name)}. To list snapshots: ${boh.plain('sandbox snapshot list')}`,
  });
}
