/** `boh suppliers prices SUPPLIER FILE`: sets the prices of a price list, after a preview of what changes. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { type PricePlan, planPrices } from '../../bulk/prices/plan-prices.ts';
import { type PriceListFormat, priceListFormat } from '../../bulk/prices/price-rows.ts';
import type { Context } from '../../context/context.ts';
import { fieldsToInclude } from '../../contract/include.ts';
import { type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { confirm, pick } from '../../prompts/terminal/prompts.ts';
import { fixedEntries } from '../../prompts/terminal/questions.ts';
import { accountInUse } from '../../session/file-owner.ts';
import { linksIn } from '../../session/record-body.ts';
import { displayNameOf } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { priceListMapFile } from '../../settings/price-list-map.ts';
import { columnNamesOf } from '../../tables/columns/columns.ts';
import { synonymsFor } from '../../tables/columns/synonyms.ts';
import { formatCount } from '../../terminal/format-count.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { ChoiceOption, parseChoice, refuseFlags, repeatable } from '../flags/shared-flags.ts';
import { addFileFlags, lockFileResource, runFile } from './file-run.ts';
import { type ImportFlags, parseImportFlags } from './import.ts';
import { mapColumns, readColumnMaps, saveColumnMap } from './map-columns.ts';
import { pricesResult, showPrices } from './price-preview.ts';
import { addPlanningFlags } from './run-flags.ts';
import { openRunSession } from './run-session.ts';

/** The flags of `prices`, not yet validated. */
interface PriceFlags extends ImportFlags {
  maxChange?: string;
  also?: string;
}

const alsoWords = ['costs'] as const;

/** Adds the arguments, flags and action of `prices` to the command. */
export function configurePrices(command: Command, resource: Resource, context: Context): void {
  const { noun, command: name, exampleKey } = resource;
  command
    .withDryRun()
    .argument(`[${resource.one}]`, 'the ID, or @NAME')
    .argument('[file]', 'the price list, or - for standard input')
    .usage(`<${resource.one}> <file> [flags]`)
    .description(
      `Set the prices of a ${noun} from its price list. Rows are matched by the ${noun}'s code, then barcode, SKU and name; rows that aren't matched are left out. The columns are remembered for the ${noun}.`,
    );
  command.group(
    'Rows:',
    repeatable(
      '--map <column=field>',
      'read a column as a field; COLUMN= ignores it; or a file written by --save-map (repeatable)',
    ),
    new ChoiceOption('--also <values>', 'costs: set the cost of items with a fixed cost, too', alsoWords),
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
  command.action(
    createAction(context, () => run(command.args, command.opts<PriceFlags>(), resource, context)),
  );
}

async function run(
  [sender, file]: readonly string[],
  { maxChange, ...otherFlags }: PriceFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  if (sender === undefined || file === undefined)
    throw usage(`${resource.command} prices needs a ${resource.noun} and a price list.`);
  const flags: PriceFlags = { ...otherFlags, ...(maxChange !== undefined && { maxPriceChange: maxChange }) };
  const parsedOptions = parseImportFlags(flags);
  const problems = Object.create(null);
  parseChoice('also', flags.also, alsoWords, problems);
  refuseFlags(problems);
  if (context.globals.offline) throw usage('prices reads existing prices, and --offline forbids that.');
  const format = priceListFormat(resource);
  const command = `${resource.command} prices`;
  const headerNames = new Set([...columnNamesOf(format.rows), ...synonymsFor(format.rows, [])]);
  const session = await openRunSession(context, flags);
  const { ids: [id = ''] = [] } = await session.resolve({ operation: getOf(resource), ids: [sender] });
  const mapFile = priceListMapFile(context.env, await accountInUse(session), `${resource.name}/${id}`);
  const map = flags.map ?? (existsSync(mapFile) ? [mapFile] : []);
  const { fileMap, ...mapOptions } = readColumnMaps({ ...flags, map }, parsedOptions.map);
  const opening = { file, command, resource, flags, headerNames, ...mapOptions, defaultSheet: 'prices' };
  return runFile(opening, context, async (openFile) => {
    const mapped = {
      ...openFile,
      resource: format.rows,
      options: parsedOptions,
      fileMap,
      saveMap: false as const,
    };
    const options = await mapColumns(mapped, context);
    if (!context.globals.dryRun && options.map.size > 0) {
      mkdirSync(dirname(mapFile), { recursive: true, mode: 0o700 });
      await saveColumnMap(mapFile, options.map, openFile.table);
    }
    const ledger = openFile.createLedger();
    const plan = { ...openFile, ledger, resource, session };
    const resources = [resource.name, format.target.name];
    await lockFileResource(plan, { source: openFile.source, flags, context, resources });
    const record = await readSender(session, format, id);
    const interactive = context.streams.interactive && !context.globals.yes;
    const comparison = await planPrices({
      ...{ ...plan, format, sender: record, options, unescapeFormula },
      chooseItem: interactive ? itemChooser(format.target, context) : undefined,
      setsFixedCosts: async (count) =>
        flags.also === 'costs' || (interactive && (await askForFixedCosts(count, context))),
    });
    const shown = showPrices({ comparison, ledger, format, context });
    const isSent = !context.globals.dryRun && flags.out === undefined;
    if (isSent) for (const sentence of shown.sentences) note(context.streams, sentence);
    return {
      plan,
      words: { resource: { noun: 'price', nouns: 'prices' }, excluded: 'left out' },
      showPreview: async () => pricesResult(shown),
    };
  });
}

function getOf(resource: Resource): Operation {
  const get = operation(resource, 'get');
  if (!get) throw new Error(`${resource.name} has no get`);
  return get;
}

/** Reads the sender with its links. */
async function readSender(
  session: Session,
  { resource, columns }: PriceListFormat,
  sender: string,
): Promise<Row> {
  const { field } = columns.link;
  const query = { include: fieldsToInclude(resource, [field]) };
  const { record } = await session.get({ operation: getOf(resource), ids: [sender], query });
  if (linksIn(record, field)) return record;
  throw new Failure(
    'unavailable',
    `The service doesn't return the ${field} of the ${resource.noun} ${record.id}.`,
  );
}

/** Returns a function that asks for the item of an unknown row. Its answer "leave out all" is remembered. */
function itemChooser(target: Resource, { streams }: Context): PricePlan['chooseItem'] {
  let asks = true;
  return async (values, suggestions, items) => {
    if (!asks) return undefined;
    const choiceOf = (item: Row) => ({
      value: item as Row | 'none' | 'stop',
      label: displayNameOf(target, item),
      key: String(item.id),
    });
    const others = items.filter((item) => !suggestions.includes(item));
    const leaveOut = [
      { value: 'none' as const, label: 'Leave this row out' },
      { value: 'stop' as const, label: 'Leave this and all other unknown rows out' },
    ];
    const entries = fixedEntries([...suggestions.map(choiceOf), ...leaveOut, ...others.map(choiceOf)]);
    const name = [values.code, values.name].filter(Boolean).join(' ');
    const answer = await pick(streams, { message: `Which ${target.noun} is "${name}"?`, entries });
    if (answer === 'stop') asks = false;
    return typeof answer === 'string' ? undefined : answer;
  };
}

async function askForFixedCosts(count: number, { streams }: Context): Promise<boolean> {
  const items = count === 1 ? 'the item with a fixed cost' : `${formatCount(count)} items with a fixed cost`;
  return confirm(streams, { message: `Set the cost of ${items}, too?` });
}
