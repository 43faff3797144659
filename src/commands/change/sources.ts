/** Plans the changes from the sources of a change set, and saves the plan in a file. */
import { copyFileSync, existsSync } from 'node:fs';
import { Option } from 'commander';
import { usage, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { readInput } from '../../input/read-input.ts';
import type { Result } from '../../output/result.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { refuseBegun } from '../../runs/ledger/runs.ts';
import type { LimitFlags } from '../../runs/limits.ts';
import { type ImportFlags, runImport } from '../bulk/import.ts';
import { type GuardFlags, guardOptions, maxChangesOption, maxPriceChangeOption } from '../bulk/run-flags.ts';
import { readSavedParts } from '../bulk/saved-plan.ts';
import { runWhere } from '../bulk/where.ts';
import type { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption, repeatable } from '../flags/shared-flags.ts';
import { addPlanFlags, type PlanFlags } from '../manifest/manifest-flags.ts';
import { runPlanCommand } from '../manifest/plan.ts';

/** The flags as commander returns them, not yet validated. */
export interface ChangeSourceFlags extends PlanFlags, LimitFlags, GuardFlags, AnyAccountFlag {
  import?: string;
  key?: string;
  skipInvalid?: boolean;
  where?: string[];
  set?: string[];
  plan?: string;
}

/** Adds the flags of the source. */
export function addChangeSourceFlags(command: Command): Command {
  command.group(
    'Source:',
    new Option('--import <file>', 'the rows of a CSV, XLSX, NDJSON or JSON file'),
    new Option('--key <fields>', 'with --import: the fields that identify an existing record'),
    new Option('--skip-invalid', 'with --import: skip invalid rows'),
    repeatable('--where <key=value>', 'update the records that match this filter (repeatable)'),
    repeatable('--set <field=value>', 'with --where: the new value of a field (repeatable)'),
    new Option('--plan <file>', 'a plan that a command saved with --out'),
  );
  addPlanFlags(command, 'save nothing');
  const options = [
    ...guardOptions(),
    maxChangesOption('save nothing'),
    maxPriceChangeOption('save nothing'),
    anyAccountOption('allow plans and change sets of another account'),
  ];
  for (const option of options) command.addOption(option);
  return command;
}

/** Returns whether the command line has arguments or flags of a source. The source must then be complete. */
export function hasSource(sourceArguments: readonly string[], flags: ChangeSourceFlags): boolean {
  const names = ['import', 'key', 'skipInvalid', 'where', 'set', 'plan', 'maxDeletes', 'normalizePhones'];
  const hasSourceFlag = [...names, 'maxChanges', 'maxPriceChange'].some((name) => Object.hasOwn(flags, name));
  return hasSourceFlag || sourceArguments.length > 0 || flags.prune.length > 0;
}

/** Plans the changes of the source, and saves the plan in the file `planFile`. Sends nothing. */
export async function planSource(
  sourceArguments: readonly string[],
  flags: ChangeSourceFlags,
  planFile: string,
  context: Context,
): Promise<void> {
  const { import: file, where, set: assignments = [], plan } = flags;
  const sources = [
    file,
    where,
    plan,
    sourceArguments.length > 0 && !file && !where ? sourceArguments : undefined,
  ];
  if (
    sources.filter((source) => source !== undefined).length !== 1 ||
    assignments.length > 0 !== (where !== undefined)
  ) {
    throw usage(
      'Specify one source: files, --import FILE RESOURCE, RESOURCE --where … --set …, or --plan FILE.',
      {
        hint: boh.help('change create'),
      },
    );
  }
  if (plan !== undefined) return copyPlan(plan, planFile, context);
  // The findings of boh lint are reported once, when the plan is complete.
  const limits = { ...definedLimits(flags), failOn: 'never' as const };
  if (file !== undefined) {
    const { key, skipInvalid } = flags;
    const importFlags: ImportFlags = {
      out: planFile,
      ...limits,
      ...(key && { key }),
      ...(skipInvalid && { skipInvalid }),
    };
    return finishPlan(
      await runImport([file], importFlags, parseResource(sourceArguments, context), context),
      skipInvalid,
    );
  }
  if (where === undefined) {
    const { prune, maxDeletes, normalizePhones } = flags;
    const planFlags = {
      out: planFile,
      prune,
      ...(maxDeletes && { maxDeletes }),
      ...(normalizePhones && { normalizePhones }),
    };
    return finishPlan(await runPlanCommand(sourceArguments, planFlags, context));
  }
  const update = operation(parseResource(sourceArguments, context), 'update');
  if (!update) throw usage(`The API can't update ${parseResource(sourceArguments, context).nouns}.`);
  const pairs = assignments.map((pair) => /^([^=]+)=(.*)$/s.exec(pair) ?? [pair, pair, '']);
  const fields = pairs.map(([, name = '', text = '']) => ({
    name: name.replaceAll('-', '_'),
    values: [text],
  }));
  const unknownField = fields.find(({ name }) => !update.body.some((entry) => entry.name === name));
  if (unknownField) {
    const names = update.body.map(({ name }) => name);
    throw usage(
      `--set: ${unknownField.name} isn't a field that can be updated.${didYouMean(unknownField.name, names)}`,
    );
  }
  const { body, problems } = await readInput(update, { fields, clear: [] }, context.streams);
  if (Object.keys(problems).length > 0) throw violations('--set', problems);
  return finishPlan(
    await runWhere(
      { operation: update, args: [], flags: { where, out: planFile, ...limits }, body },
      context,
    ),
  );
}

function definedLimits({ maxChanges, maxDeletes, maxPriceChange }: LimitFlags): LimitFlags {
  const limits = Object.entries({ maxChanges, maxDeletes, maxPriceChange });
  return Object.fromEntries(limits.filter(([, limit]) => limit !== undefined));
}

function copyPlan(file: string, planFile: string, { env }: Context): void {
  if (!existsSync(file))
    throw usage(`File ${file} not found.`, { hint: 'Save a plan with --out FILE first.' });
  const ledger = new Ledger(file);
  try {
    readSavedParts(ledger);
    refuseBegun(env, ledger);
    // Only the file itself is copied, and not the log of a killed process.
    ledger.checkpoint();
  } finally {
    ledger.close();
  }
  copyFileSync(file, planFile);
}

function parseResource([word, ...otherWords]: readonly string[], { api }: Context): Resource {
  const resource = word === undefined || otherWords.length > 0 ? undefined : api.findResource(word);
  if (resource) return resource;
  throw usage(
    word === undefined ? 'Missing the resource.' : `Unknown resource "${[word, ...otherWords].join(' ')}".`,
    {
      hint: boh.hint`To list all: ${boh.plain('resources')}`,
    },
  );
}

/** Reads all rows of a plan, so that it is saved. Throws its failure, except for skipped rows. */
async function finishPlan(result: Result, skipsInvalid = false): Promise<void> {
  if (result.kind === 'run') for await (const _ of result.rows);
  const { failure = result.expectedFailure } = result.kind === 'run' ? await result.end() : {};
  if (failure && !(skipsInvalid && failure.category === 'partial')) throw failure;
}
