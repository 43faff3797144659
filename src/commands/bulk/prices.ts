/** `boh suppliers prices SUPPLIER FILE`: sets the prices of a price list, after a preview of what changes. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import { appFolder } from '../../base/app-folders.ts';
import { usage } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { once } from '../../base/once.ts';
import { type PricePlan, planPrices } from '../../bulk/prices/plan-prices.ts';
import { priceListFormat } from '../../bulk/prices/price-rows.ts';
import type { Context } from '../../context/context.ts';
import { fieldsToInclude } from '../../contract/include.ts';
import { type Operation, requireOperation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { flagName } from '../../contract/value-text.ts';
import { readInput } from '../../input/read-input.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { findRecord } from '../../prompts/find-record.ts';
import { canAsk, missingFields } from '../../prompts/missing-input.ts';
import { type NamedRecord, recordChoice } from '../../prompts/record-entries.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import type { Choice } from '../../prompts/terminal/questions.ts';
import { placeholder } from '../../reference/value-descriptions.ts';
import { limitFlagProblems } from '../../runs/limits.ts';
import { accountInUse } from '../../session/file-owner.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { columnNamesOf } from '../../tables/columns/columns.ts';
import { synonymsFor } from '../../tables/columns/synonyms.ts';
import { formatCount } from '../../terminal/format-count.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { flagValues } from '../flags/field-flags.ts';
import { ChoiceOption, damageOption, parseChoice, refuseFlags, repeatable } from '../flags/shared-flags.ts';
import { addFileFlags, runFile } from './file-run.ts';
import { type ImportFlags, parseImportFlags } from './import.ts';
import { mapColumns, readColumnMaps, saveColumnMap } from './map-columns.ts';
import { showPrices } from './price-preview.ts';
import { addPlanningFlags } from './run-flags.ts';
import { openRunSession } from './run-session.ts';

/** The flags of `prices`, not yet validated. */
interface PriceFlags extends ImportFlags {
  maxChange?: string;
  also?: string;
}

const alsoWords = ['costs', 'adjustment'] as const;
type AlsoWord = (typeof alsoWords)[number];

/** Adds the arguments, flags and action of `prices` to the command. */
export function configurePrices(command: Command, resource: Resource, context: Context): void {
  const { noun, command: name, exampleKey } = resource;
  command
    .withDryRun()
    .argument(`[${resource.one}]`, 'the ID, or @NAME')
    .argument('[file]', 'the price list, or - for standard input')
    .usage(`<${resource.one}> <file> [flags]`)
    .description(
      `Set the prices of a ${noun} from its price list. Rows are matched by the ${noun}'s code, then barcode, SKU and name; rows that aren't matched are left out. The columns and the encoding are remembered for the ${noun}.`,
    );
  command.group(
    'Rows:',
    repeatable(
      '--map <column=field>',
      'read a column as a field; COLUMN= ignores it; or a file written by --save-map (repeatable)',
    ),
    damageOption(),
  );
  const { adjustment } = priceListFormat(resource);
  command.group(
    'Costs:',
    new ChoiceOption(
      '--also <choice>',
      `costs: set the cost of items with a fixed cost, too; adjustment: create a draft ${adjustment.resource.noun} for them`,
      alsoWords,
    ),
    ...adjustment.body.map(({ name, field }) => {
      const about = `${field.traits.description} of the ${adjustment.resource.noun}`;
      return new Option(`--${flagName(name)} <${placeholder(field)}>`, about);
    }),
  );
  addFileFlags(command, { leavesOut: true });
  command.group(
    'Safety:',
    new Option('--max-change <percent>', 'send nothing if a price would change by more: 20%'),
  );
  addPlanningFlags(command);
  command.examples(
    `boh ${name} prices "@${exampleKey}" prices.xlsx --dry-run`,
    `boh ${name} prices "@${exampleKey}" prices.csv --map Net=cost --max-change 20% --yes`,
  );
  command.action(createAction(context, () => run(command, resource, context)));
}

async function run(command: Command, resource: Resource, context: Context): Promise<Result> {
  const { globals, streams, env } = context;
  const [sender, file] = command.args;
  if (sender === undefined || file === undefined)
    throw usage(`${resource.command} prices needs a ${resource.noun} and a price list.`);
  const { maxChange, ...otherFlags } = command.opts<PriceFlags>();
  const flags: PriceFlags = { ...otherFlags, ...(maxChange !== undefined && { maxPriceChange: maxChange }) };
  if ('max-price-change' in limitFlagProblems({ maxPriceChange: maxChange ?? '0%' }))
    refuseFlags({ 'max-change': ['--max-change must be a percentage, such as 20%'] });
  const parsedOptions = parseImportFlags(flags);
  const format = priceListFormat(resource);
  const interactive = streams.interactive && !globals.yes;
  const { adjustment } = format;
  const names = adjustment.body.map(({ name }) => name);
  const fieldFlags = flagValues(command, names);
  const { body, problems } = await readInput(adjustment, { fields: fieldFlags, clear: [] }, streams);
  const also = parseChoice<AlsoWord>('also', flags.also, alsoWords, problems);
  for (const { name } of also === 'adjustment' ? [] : fieldFlags)
    problems[name] = [`--${flagName(name)} needs --also adjustment`];
  refuseFlags(problems);
  if (globals.offline) throw usage('prices reads existing prices, and --offline forbids that.');
  const headerNames = new Set([...columnNamesOf(format.rows), ...synonymsFor(format.rows, [])]);
  const session = await openRunSession(context, flags);
  const get = requireOperation(resource, 'get');
  const { ids: [id = ''] = [] } = await session.names.resolve({ operation: get, ids: [sender] });
  const fields = once(() => completeAdjustment(adjustment, body, session, context));
  if (also === 'adjustment') await fields();
  const { service, business } = await accountInUse(session);
  const mapId = hash('sha256', JSON.stringify([service, business?.id, `${resource.name}/${id}`]), 'hex');
  const mapFile = join(appFolder(env, 'config'), 'price-lists', `${mapId.slice(0, 24)}.json`);
  const map = [...(flags.map ?? []), ...(existsSync(mapFile) ? [mapFile] : [])];
  const { fileMap, ...mapOptions } = readColumnMaps({ ...flags, map }, parsedOptions.map);
  const opening = { file, command: `${resource.command} prices`, resource, flags, headerNames };
  return runFile({ ...opening, ...mapOptions, defaultSheet: 'prices' }, context, async (openFile) => {
    const mapped = { ...openFile, resource: format.rows, options: parsedOptions, fileMap };
    const options = await mapColumns({ ...mapped, saveMap: false }, context);
    if (!globals.dryRun) {
      makeFolder(dirname(mapFile), { mode: 0o700 });
      await saveColumnMap(mapFile, options.map, openFile.table);
    }
    const ledger = openFile.createLedger();
    const plan = { ...openFile, ledger, resource, session };
    const mayAdjust = also === 'adjustment' || (also === undefined && interactive);
    await openFile.lock(plan, [resource, format.target, ...(mayAdjust ? [adjustment.resource] : [])]);
    const query = { include: fieldsToInclude(resource, [format.columns.link.field]) };
    const { record } = await session.get({ operation: get, ids: [id], query });
    const comparison = await planPrices({
      ...{ ...plan, format, sender: record, options, unescapeFormula },
      chooseItem: itemChooser(format.target, interactive, context),
      chooseCosts: async (count) => {
        const choice = also ?? (interactive ? await askForCosts(count, adjustment, context) : 'none');
        return choice === 'adjustment' ? { adjustment: await fields() } : choice;
      },
    });
    const { sentences, result } = showPrices(comparison, ledger, format);
    const isSent = !globals.dryRun && flags.out === undefined;
    if (isSent) for (const sentence of sentences) note(streams, sentence);
    return {
      plan,
      words: { resource: { noun: 'price', nouns: 'prices' }, excluded: 'left out' },
      showPreview: async () => result,
    };
  });
}

/** Returns a function that asks for the item of an unknown row, until the answer is "leave out all". */
function itemChooser(target: Resource, interactive: boolean, { streams }: Context): PricePlan['chooseItem'] {
  let asks = interactive;
  return async (name, suggestions, items) => {
    if (!asks) return undefined;
    const choices = (rows: readonly Row[]) => rows.map((row) => recordChoice(target, row));
    const entries: Choice<NamedRecord | 'none' | 'stop'>[] = [
      ...choices(suggestions),
      { value: 'none', label: 'Leave this row out' },
      { value: 'stop', label: 'Leave this and all other unknown rows out' },
      ...choices(items.filter((item) => !suggestions.includes(item))),
    ];
    const message = `Which ${target.noun} is "${name}"?`;
    const answer = await (await promptsFor(streams)).pick({ message, entries });
    if (answer === 'stop') asks = false;
    return typeof answer === 'string' ? undefined : answer.record;
  };
}

/** Asks how the costs of items follow their prices. */
async function askForCosts(
  count: number,
  { resource }: Operation,
  { streams }: Context,
): Promise<AlsoWord | 'none'> {
  return (await promptsFor(streams)).choose({
    message: `Set the cost of ${count === 1 ? 'the item' : `${formatCount(count)} items`} with a fixed cost, too?`,
    choices: [
      { value: 'none', label: 'No, only the prices' },
      { value: 'costs', label: 'Yes' },
      { value: 'adjustment', label: `Create a draft ${resource.noun}` },
    ],
  });
}

/** Returns the fields of an adjustment with IDs. Asks for required ones that are missing, such as the branch. */
async function completeAdjustment(
  operation: Operation,
  body: Row,
  session: Session,
  context: Context,
): Promise<Row> {
  const fields = { ...body };
  for (const { name, field } of missingFields(operation, body)) {
    if (!canAsk(context) || context.globals.yes) throw usage(`--also adjustment needs --${flagName(name)}.`);
    const { description = name, target = '' } = field.traits;
    const message = `${description} of the ${operation.resource.noun}`;
    fields[name] = (await findRecord(context, target, { message }))?.id;
  }
  return (await session.names.resolve({ operation, body: fields })).body ?? {};
}
