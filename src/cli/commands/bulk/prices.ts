/** `boh suppliers prices SUPPLIER FILE`: sets the prices of a price list, after a preview of what changes. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { accountInUse } from '../../../account/session/account.ts';
import { recordTitle } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import { type Operation, requireOperation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { flagName } from '../../../api/contract/value-text.ts';
import { placeholder } from '../../../api/reference/value-descriptions.ts';
import { appFolder } from '../../../base/app-folders.ts';
import { usage } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { once } from '../../../base/once.ts';
import { formatCount, maxShownItems, truncateItems } from '../../../base/shown-items.ts';
import {
  type ItemPrice,
  type PriceComparison,
  type PricePlan,
  planPrices,
} from '../../../engine/bulk/prices/plan-prices.ts';
import { type PriceListFormat, priceListFormat } from '../../../engine/bulk/prices/price-rows.ts';
import { LintAccount } from '../../../engine/lint/account.ts';
import { recipeCost } from '../../../engine/lint/recipe.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { formatPercent, limitFlagProblems, percentChange } from '../../../engine/runs/limits.ts';
import { columnNamesOf } from '../../../engine/tables/columns/columns.ts';
import { synonymsFor } from '../../../engine/tables/columns/synonyms.ts';
import type { Context } from '../../context/context.ts';
import { readInput } from '../../input/read-input.ts';
import type { Result } from '../../output/result.ts';
import { findRecord } from '../../prompts/find-record.ts';
import { canAsk, missingFields } from '../../prompts/missing-input.ts';
import { type NamedRecord, recordChoice } from '../../prompts/record-entries.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import type { Choice } from '../../prompts/terminal/questions.ts';
import { unguardCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { flagValues } from '../flags/contract-flags.ts';
import { type Flag, type FlagsOf, refuseFlags, repeated, under } from '../flags/flag-table.ts';
import { damageFlag } from '../flags/shared-flags.ts';
import { formatSentences, formatTable } from '../pictures/picture.ts';
import { fileFlags, runFile } from './file-run.ts';
import { importProblems, parseImportFlags } from './import.ts';
import { mapColumns, readColumnMaps, saveColumnMap } from './map-columns.ts';
import { openRunSession, planningFlags } from './run-flags.ts';

const alsoWords = ['costs', 'adjustment'] as const;
type AlsoWord = (typeof alsoWords)[number];

const priceFlags = ({ resource: { noun }, body }: Operation) =>
  [
    ...under('Rows:', [
      [
        '--map <column=field>',
        'read a column as a field; COLUMN= ignores it; or a file written by --save-map (repeatable)',
        repeated,
      ],
      damageFlag,
    ]),
    ...under('Costs:', [
      [
        '--also <choice>',
        `costs: set the cost of items with a fixed cost, too; adjustment: create a draft ${noun} for them`,
        { words: alsoWords },
      ],
      ...body.map(
        ({ name, field }): Flag => [
          `--${flagName(name)} <${placeholder(field)}>`,
          `${field.traits.description} of the ${noun}`,
        ],
      ),
    ]),
    ...fileFlags,
    ...under('Safety:', [['--max-change <percent>', 'send nothing if a price would change by more: 20%']]),
    ...planningFlags,
  ] as const;

type PriceFlags = FlagsOf<ReturnType<typeof priceFlags>>;

export function pricesCommand(resource: Resource, context: Context): Command {
  const { noun, exampleKey } = resource;
  const command = `boh ${resource.command} prices "@${exampleKey}"`;
  return createCommand(context, {
    name: 'prices',
    about: `Set the prices of a ${noun} from its price list. Rows are matched by the ${noun}'s code, then barcode, SKU and name; rows that aren't matched are left out. The columns and the encoding are remembered for the ${noun}.`,
    args: [
      [`[${resource.one}]`, 'the ID, or @NAME'],
      ['[file]', 'the price list, or - for standard input'],
    ],
    usage: `<${resource.one}> <file> [flags]`,
    flags: priceFlags(priceListFormat(resource).adjustment),
    examples: [
      `${command} prices.xlsx --dry-run`,
      `${command} prices.csv --map Net=cost --max-change 20% --yes`,
    ],
    dryRun: true,
    check: (flags) => ({
      ...importProblems(flags),
      ...('max-price-change' in limitFlagProblems({ maxPriceChange: flags.maxChange ?? '0%' }) && {
        'max-change': ['--max-change must be a percentage, such as 20%'],
      }),
    }),
    run: ([sender, file], flags) => run({ sender, file }, flags, resource, context),
  });
}

async function run(
  { sender, file }: { sender: string | undefined; file: string | undefined },
  { maxChange, ...otherFlags }: PriceFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  const { globals, streams, env } = context;
  if (sender === undefined || file === undefined)
    throw usage(`${resource.command} prices needs a ${resource.noun} and a price list.`);
  const flags = { ...otherFlags, ...(maxChange !== undefined && { maxPriceChange: maxChange }) };
  const parsedOptions = parseImportFlags(flags);
  const format = priceListFormat(resource);
  const interactive = streams.interactive && !globals.yes;
  const { adjustment } = format;
  const names = adjustment.body.map(({ name }) => name);
  const fields = flagValues(flags, names);
  const { body, problems } = await readInput(adjustment, { fields, clear: [] }, streams);
  const { also } = flags;
  for (const { name } of also === 'adjustment' ? [] : fields)
    problems[name] = [`--${flagName(name)} needs --also adjustment`];
  refuseFlags(problems);
  if (globals.offline) throw usage('prices reads existing prices, and --offline forbids that.');
  const headerNames = new Set([...columnNamesOf(format.rows), ...synonymsFor(format.rows, [])]);
  const session = await openRunSession(context, flags);
  const get = requireOperation(resource, 'get');
  const { ids: [id = ''] = [] } = await session.names.resolve({ operation: get, ids: [sender] });
  const completeFields = once(() => completeAdjustment(adjustment, body, session, context));
  if (also === 'adjustment') await completeFields();
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
    const ledger = await openFile.createLedger();
    const plan = { ...openFile, ledger, resource, session };
    const mayAdjust = also === 'adjustment' || (also === undefined && interactive);
    await openFile.lock(plan, [resource, format.target, ...(mayAdjust ? [adjustment.resource] : [])]);
    const query = { include: fieldsToInclude(resource, [format.columns.link.field]) };
    const { record } = await session.get({ operation: get, ids: [id], query });
    const comparison = await planPrices({
      ...{ ...plan, format, sender: record, options, unguardCell },
      chooseItem: itemChooser(format.target, interactive, context),
      chooseCosts: async (count) => {
        const choice = also ?? (interactive ? await askForCosts(count, adjustment, context) : 'none');
        return choice === 'adjustment' ? { adjustment: await completeFields() } : choice;
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

/** A price that is this many times the old one, or this part of it, is probably mistyped, or for another pack. */
const suspectRatio = 5;

/** The states of lines, in the order of the summary. */
const states = ['up', 'down', 'equal', 'new', 'not_in_list', 'left_out'] as const;
type State = (typeof states)[number];

/** Returns what a price list changes in sentences, and as a result. Call it before the run, which closes the ledger. */
function showPrices(
  comparison: PriceComparison,
  ledger: Ledger,
  format: PriceListFormat,
): { sentences: readonly string[]; result: Result } {
  const lines = priceLines(comparison, ledger, format.target);
  const sentences = [...describeLines(lines), ...describeRecipes(comparison, format)];
  const columns = ['item', 'old', 'new', 'change'].map((name) => ({ name, label: name }));
  const changed = lines
    .filter(({ state }) => ['up', 'down', 'new'].includes(state))
    .map((line) => ({ ...line, change: formatPercent(line.change_percent ?? undefined) }));
  const reasons = lines.flatMap(({ line, item, reason }) => {
    if (reason === null) return [];
    return [line === null ? reason : `line ${line}${item === null ? '' : ` (${item})`}: ${reason}`];
  });
  const result: Result = {
    kind: 'data',
    data: lines,
    rows: lines,
    idField: 'id',
    text: (display) => {
      const table = changed.length === 0 ? [] : [...formatTable(display, columns, changed), ''];
      const texts = formatSentences([...sentences, ...truncateItems(reasons)], display);
      return [...table, ...texts].map((line) => `${line}\n`).join('');
    },
  };
  return { sentences, result };
}

function priceLines({ prices, missing }: PriceComparison, ledger: Ledger, target: Resource): PriceLine[] {
  return [
    ...prices.map((price) => lineOf(target, stateOf(price), price)),
    ...ledger.rows('bad').map((row) => lineOf(target, 'left_out', { row }, row.error?.message)),
    ...missing.map((item) => lineOf(target, 'not_in_list', { item })),
  ];
}

type PriceLine = ReturnType<typeof lineOf>;

/** Returns a row for programs and tables. */
function lineOf(target: Resource, state: State, price: Partial<ItemPrice>, reason: string | null = null) {
  const { item, row, by = null, oldCost = null, newCost = null } = price;
  const percent = percentChange(oldCost, newCost);
  return {
    line: row?.line ?? null,
    id: item?.id ?? null,
    item: item ? recordTitle(target, item) : (row?.key ?? null),
    state,
    matched_by: by,
    old: oldCost,
    new: newCost,
    change_percent: percent === undefined ? null : round(percent),
    reason,
  };
}

function stateOf({ oldCost, newCost }: ItemPrice): State {
  if (oldCost === undefined) return 'new';
  return newCost > oldCost ? 'up' : newCost < oldCost ? 'down' : 'equal';
}

/** Returns sentences with the number of lines in each state, and with prices that are probably mistakes. */
function describeLines(lines: readonly PriceLine[]): string[] {
  const counts = states.flatMap((state) => {
    const count = lines.filter((line) => line.state === state).length;
    return count === 0 ? [] : [`${count} ${state.replaceAll('_', ' ')}`];
  });
  const suspects = lines.flatMap(({ item, old, new: price }) => {
    const ratio = old === null || price === null || old <= 0 ? 1 : price / old;
    if (ratio < suspectRatio && ratio > 1 / suspectRatio) return [];
    const factor = ratio > 1 ? `×${round(ratio, 1)}` : `÷${round(1 / ratio, 1)}`;
    return [`${item}: ${old} → ${price} (${factor}). Mistyped, or another pack?`];
  });
  return [`${counts.join(', ')}.`, ...suspects];
}

/** Returns the recipes whose cost changes most, with their cost at the old and the new prices. */
function describeRecipes({ prices, items }: PriceComparison, { target, fields }: PriceListFormat): string[] {
  const byItem = new Map(prices.map((price) => [price.item.id, price]));
  const accountWith = (costOf: (price: ItemPrice) => number | undefined) => {
    const rows = items.map((item): Row => {
      const price = byItem.get(item.id);
      const cost = price && costOf(price);
      if (cost === undefined || !price?.factor) return item;
      return { ...item, [fields.itemCost]: cost / price.factor };
    });
    return new LintAccount(apiOf(target), '', new Map([[target.name, rows]]));
  };
  const [before, after] = [accountWith(({ oldCost }) => oldCost), accountWith(({ newCost }) => newCost)];
  const recipes = items.flatMap((item) => {
    const [from, to] = [recipeCost(item, before), recipeCost(item, after)];
    if (from === undefined || to === undefined || Math.abs(to - from) < 0.005) return [];
    const change = `${round(from)} → ${round(to)} (${formatPercent(percentChange(from, to))})`;
    return [{ size: Math.abs(to - from), text: `  ${recordTitle(target, item)}: ${change}` }];
  });
  recipes.sort((a, b) => b.size - a.size);
  const texts = recipes.slice(0, maxShownItems).map(({ text }) => text);
  return texts.length === 0 ? [] : ['Cost of the recipes that change most:', ...texts];
}

function round(number: number, decimals = 2): number {
  return Number(number.toFixed(decimals));
}
