/** `boh sandbox faults`: sets, shows and clears the faults that a served sandbox injects. */

import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { controlOperations } from '../../../sandbox/control/operations.ts';
import { storeFaultPlan } from '../../../sandbox/faults/engine.ts';
import { type FaultPlan, faultKinds, parseFaultPlan } from '../../../sandbox/faults/plan.ts';
import type { Sandbox } from '../../../sandbox/service.ts';
import type { Context } from '../../context/context.ts';
import { readSource } from '../../input/read-input.ts';
import { messageResult, type Result } from '../../output/result.ts';
import type { Command } from '../command.ts';
import { createCommand, groupCommand } from '../declare.ts';
import { type FlagsOf, orNone, repeated } from '../flags/flag-table.ts';
import { control } from './control.ts';
import { serverFlag } from './with-sandbox.ts';

const setFlags = [
  ['--rule <json>', 'a rule, instead of a file (repeatable)', { ...repeated, ...orNone }],
  ['--seed <number>', 'seed of the random choices (default: 1)'],
  serverFlag,
] as const;

type SetOptions = FlagsOf<typeof setFlags>;

/** Returns the command `boh sandbox faults` with its subcommands. */
export function faultsCommand(context: Context): Command {
  const about = 'Inject faults into a served sandbox. Running servers use them immediately.';
  const group = groupCommand('faults', about, [
    createCommand(context, {
      name: 'set',
      about: `Replace the fault plan: rules with a route and a fault (${faultKinds.join(', ')}).`,
      args: [['[file]', 'a fault plan in YAML or JSON, or - for standard input']],
      flags: setFlags,
      examples: [
        `boh sandbox faults set faults.yaml`,
        `boh sandbox faults set --seed 7 --rule '{"route": "POST /customers", "fault": "reset", "probability": 0.3}'`,
      ],
      run: ([file], options) => setPlan(file, options, context),
    }),
    createCommand(context, {
      name: 'show',
      about: 'Show the fault plan',
      flags: [serverFlag],
      run: async (_, options) => {
        const plan = await control(controlOperations.faults, {}, options, context);
        return { kind: 'data', data: plan, text: plan === null ? 'No faults are set.' : formatPlan(plan) };
      },
    }),
    createCommand(context, {
      name: 'clear',
      about: 'Remove all faults',
      flags: [serverFlag],
      run: async (_, options) => {
        await control(controlOperations.clearFaults, {}, options, context);
        return messageResult('Faults cleared.');
      },
    }),
  ]);
  return group.summary('Inject faults').usage('[options] [command]');
}

async function setPlan(file: string | undefined, options: SetOptions, context: Context): Promise<Result> {
  const plan = await readPlan(file, options, context);
  await control(controlOperations.setFaults, plan, options, context);
  const { length } = plan.rules;
  return messageResult(`Set ${length} ${length === 1 ? 'rule' : 'rules'}, seed ${plan.seed}.`);
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

/** Returns one line per rule, with the names that the file uses. */
function formatPlan({ seed, rules }: FaultPlan): string {
  const lines = rules.map(({ route, fault, probability, ...otherFields }) => {
    const options = Object.entries(otherFields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    return [route, fault, `${probability * 100} %`, ...options].join('  ');
  });
  return [`seed ${seed}`, ...lines].join('\n');
}
