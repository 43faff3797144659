/** The flags of `boh apply`, beside those of plans and of runs. */
import { type Command, Option } from 'commander';
import { type LimitFlags, protectedLimits } from '../../runs/limits.ts';
import { addRunFlags, type RunFlags } from '../bulk/run-flags.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { addPlanFlags, type PlanFlags } from './manifest-flags.ts';

export interface ApplyFlags extends PlanFlags, RunFlags, AnyAccountFlag, LimitFlags {
  plan?: string;
  outputs?: string;
}

export function addApplyFlags(command: Command): void {
  addPlanFlags(command)
    .addOption(
      new Option(
        '--plan <file>',
        'carry out a plan that --out has saved, of this or another command, if nothing has changed since',
      ),
    )
    .addOption(anyAccountOption())
    .addOption(new Option('--outputs <file>', 'write the ids of what is declared there, by resource and key'))
    .addOption(
      new Option(
        '--max-changes <number>',
        `refuse to change more records than this (on protected profiles: ${protectedLimits.maxChanges})`,
      ),
    )
    .addOption(
      new Option(
        '--max-price-change <percent>',
        `refuse prices and costs that change by more (on protected profiles: ${protectedLimits.maxPriceChange})`,
      ),
    )
    .addOption(
      new Option(
        '--allow-loss',
        'on protected profiles: even if records lose their only supplier, category or tax',
      ),
    );
  addRunFlags(command);
}
