/** `boh sandbox faults`: sets, shows and clears the faults that a served sandbox injects. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { readSource } from '../../input/text-source.ts';
import { createAction } from '../../output/present.ts';
import { parseFaultPlan } from '../../sandbox/faults/parse-plan.ts';
import type { FaultPlan } from '../../sandbox/faults/plan.ts';
import { clearFaultPlan, readFaultPlan, storeFaultPlan } from '../../sandbox/faults/stored-plan.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { note } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { repeatable } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { changeSandbox, type NamedOptions, nameOption, withSandbox } from './with-sandbox.ts';

interface SetOptions extends NamedOptions {
  rule: string[];
  seed?: string;
}

/** Returns the command `boh sandbox faults` with its subcommands. */
export function faultsCommand(context: Context): Command {
  return prepare(new Command('faults'))
    .description('Inject faults into a served sandbox. Running servers use them immediately.')
    .addCommand(setCommand(context))
    .addCommand(showCommand(context))
    .addCommand(clearCommand(context));
}

function setCommand(context: Context): Command {
  return prepare(new Command('set'))
    .description('Replace the fault plan. docs/guides/serve-a-sandbox.md describes its format.')
    .argument('[file]', 'a fault plan in YAML or JSON, or - for standard input')
    .addOption(repeatable('--rule <json>', 'a rule, instead of a file (repeatable)').default([], 'none'))
    .addOption(new Option('--seed <number>', 'seed of the random choices (default: 1)'))
    .addOption(nameOption())
    .examples(
      `boh sandbox faults set faults.yaml`,
      `boh sandbox faults set --seed 7 --rule '{"route": "POST /customers", "fault": "reset", "probability": 0.3}'`,
    )
    .action((file: string | undefined, options: SetOptions) => setPlan(file, options, context));
}

async function setPlan(file: string | undefined, options: SetOptions, context: Context): Promise<void> {
  const plan = await readPlan(file, options, context);
  await withSandbox(context, options, (sandbox) => setFaults(sandbox, plan, context));
  const { length } = plan.rules;
  note(context.streams, `Set ${length} ${length === 1 ? 'rule' : 'rules'}, seed ${plan.seed}.`);
}

async function readPlan(file: string | undefined, options: SetOptions, context: Context): Promise<FaultPlan> {
  const { rule: rules, seed } = options;
  if ((file === undefined) === (rules.length === 0)) {
    throw usage('Pass either a file or --rule.', {
      hint: boh.help('sandbox faults set'),
    });
  }
  if (file !== undefined) {
    const plan = await readPlanFile(file, context);
    return seed === undefined ? plan : { ...plan, seed: parseSeed(seed) };
  }
  return parseFaultPlan(
    `{"seed": ${seed === undefined ? 1 : parseSeed(seed)}, "rules": [${rules.join(',')}]}`,
    '--rule',
  );
}

/** Reads a fault plan from a file, also for `serve --faults` and `run --faults`. */
export async function readPlanFile(file: string, { streams }: Context): Promise<FaultPlan> {
  const isStdin = file === '-';
  const { text } = await readSource({ argument: isStdin ? '-' : `@${file}`, flag: '--faults' }, streams);
  return parseFaultPlan(text, isStdin ? 'standard input' : file);
}

/** Replaces the fault plan, also for `serve` and `run`. */
export async function setFaults(sandbox: Sandbox, plan: FaultPlan, { signal }: Context): Promise<void> {
  await sandbox.whenUnlocked(() => storeFaultPlan(sandbox.database, plan), { signal });
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(seed))
    throw usage(`--seed ${text} isn't a whole number.`);
  return seed;
}

function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .description('Show the fault plan')
    .addOption(nameOption())
    .action(
      createAction(context, async (options: NamedOptions) => {
        const plan = await withSandbox(context, options, ({ database }) => readFaultPlan(database) ?? null);
        return { kind: 'data', data: plan, text: plan === null ? 'No faults are set.' : formatPlan(plan) };
      }),
    );
}

/** Returns one line per rule, with the names that the file uses. */
function formatPlan({ seed, rules }: FaultPlan): string {
  const lines = rules.map(({ route, fault, probability, ...otherFields }) => {
    const options = Object.entries(otherFields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    return [route, fault, `${probability * 100} %`, ...options].join('  ');
  });
  return [`seed ${seed}`, ...lines].join('\n');
}

function clearCommand(context: Context): Command {
  return prepare(new Command('clear'))
    .description('Remove all faults')
    .addOption(nameOption())
    .action(async (options: NamedOptions) => {
      await changeSandbox(context, options, ({ database }) => clearFaultPlan(database));
      note(context.streams, 'Faults cleared.');
    });
}
