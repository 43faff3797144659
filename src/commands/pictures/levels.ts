/** `boh inventory-items levels`: draws the last counted quantities with minimum, par and maximum levels. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { isDate } from '../../contract/date-time.ts';
import type { Pictures } from '../../contract/pictures.ts';
import type { Resource } from '../../contract/resource.ts';
import type { DisplayOptions } from '../../output/result.ts';
import {
  compareLevels,
  describeLevels,
  type ItemLevel,
  type LevelItem,
  levelRows,
} from '../../pictures/levels/compare-levels.ts';
import { renderLevelBar, renderLevelsSvg } from '../../pictures/levels/draw-levels.ts';
import type { Command } from '../command.ts';
import { documentResourceOf, type NamesById, nameOf, namesOf, numberOrNull, readLines } from './lines.ts';
import {
  addPictureAction,
  type FilterFlags,
  formatSentences,
  formatTable,
  type Picture,
  type PictureFlags,
  readAllRecords,
  stringOrNull,
} from './picture.ts';

interface Flags extends PictureFlags {
  branch?: string;
  since?: string;
}

type LevelFields = NonNullable<Pictures['levels']>;

/** Adds the flags and the action of `levels` to the command. */
export function configureLevels(command: Command, resource: Resource, context: Context): void {
  const { levels } = resource.pictures ?? {};
  if (!levels) throw new Error(`${resource.name} has no levels`);
  const { nouns } = documentResourceOf(resource, levels);
  command.description(
    `Show the last counted quantity of ${resource.nouns} in each branch, with minimum, par and maximum. The quantities ` +
      `come from ${nouns} that are ${levels.final.word}: the API has no stock on hand.`,
  );
  command.addOption(
    new Option('--branch <branch>', 'only counts of this branch; other items are shown as not counted'),
  );
  command.addOption(new Option('--since <date>', `only ${nouns} after this day`));
  addPictureAction<Flags>({
    ...{
      command,
      context,
      filteredResource: resource,
      example: `boh ${resource.command} levels --branch @Riverside`,
    },
    draw: (flags, filterFlags) => draw(resource, levels, { ...flags, filterFlags }, context),
  });
}

async function draw(
  resource: Resource,
  fields: LevelFields,
  { filterFlags, ...flags }: Flags & { filterFlags: FilterFlags },
  context: Context,
): Promise<Picture> {
  const session = await context.session();
  const target = resource.fields[fields.branches]?.traits.target ?? '';
  const branch = flags.branch === undefined ? undefined : await session.names.idOf(target, flags.branch);
  const rows = await readAllRecords(context, resource, { ...filterFlags, optional: [fields.branches] });
  const lines = await readLines(context, resource, fields, {
    filters: sinceFilter(resource, fields, flags.since),
  });
  const names = await namesOf(context, resource, fields.branches);
  const counts = lines
    .filter(({ isDone }) => isDone)
    .map(({ item, number, branch: lineBranch, day }) => ({
      item,
      quantity: number,
      branch: lineBranch,
      day,
    }));
  const items = rows.map((row) => itemOf(row, resource, fields, names));
  const levels = compareLevels(items, counts, branch);
  const sentences =
    levels.length === 0 ? [`No ${resource.noun} matches the filters.`] : describeLevels(levels);
  const drawLines = (display: DisplayOptions) => {
    if (levels.length === 0) return formatSentences(sentences, display);
    const barColumns = Math.max(8, Math.min(30, Math.floor(display.width / 4)));
    const columns = columnsFor(levels);
    const tableRows = levels.map((level) => rowOf(level, renderLevelBar(level, barColumns)));
    return formatTable(display, columns, tableRows);
  };
  return {
    title: `Levels of ${resource.nouns}`,
    data: levelRows(levels),
    key: 'id',
    sentences,
    drawLines,
    drawHtml: () => renderLevelsSvg(levels),
  };
}

function sinceFilter(resource: Resource, fields: LevelFields, since: string | undefined) {
  if (since === undefined) return [];
  const filter = documentResourceOf(resource, fields).filters.find(
    ({ on, match }) => on === fields.day && match === 'after',
  );
  if (!isDate(since) || !filter) throw usage('--since takes a date, for example 2026-12-31.');
  return [{ name: filter.name, values: [since] }];
}

function itemOf(row: Row, { title }: Resource, fields: LevelFields, names: NamesById): LevelItem {
  const branches = row[fields.branches];
  return {
    id: String(row.id),
    name: String(row[title ?? 'id'] ?? row.id),
    sku: stringOrNull(row[fields.code]),
    unit: stringOrNull(row[fields.unit]),
    ...levelsIn(row, fields),
    branches: (Array.isArray(branches) ? (branches as Row[]) : []).map((branch) => ({
      id: String(branch.id),
      name: nameOf(branch, names),
      ...levelsIn((branch.pivot ?? {}) as Row, fields),
    })),
  };
}

function levelsIn(values: Row, { minimum, par, maximum }: LevelFields) {
  return {
    minimum: numberOrNull(values[minimum]),
    par: numberOrNull(values[par]),
    maximum: numberOrNull(values[maximum]),
  };
}

const numberColumn = { align: 'right' as const };

/** Returns the columns. A narrow window omits the numbers first: the bar also shows them. */
function columnsFor(levels: readonly ItemLevel[]) {
  return [
    { name: 'name', minWidth: 16 },
    ...(levels.some(({ branch }) => branch !== null) ? [{ name: 'branch', minWidth: 8 }] : []),
    { name: 'state', isIndivisible: true },
    { name: 'counted', ...numberColumn, isIndivisible: true },
    { name: 'unit', rank: 2 },
    { name: 'bar', header: '├ min ┼ par ┤ max', isIndivisible: true, rank: 1 },
    { name: 'minimum', ...numberColumn, rank: 2 },
    { name: 'par', ...numberColumn, rank: 2 },
    { name: 'maximum', ...numberColumn, rank: 2 },
    { name: 'counted_on', rank: 3, isIndivisible: true },
  ];
}

function rowOf(level: ItemLevel, bar: string) {
  const { item, branch, state, counted, day, minimum, par, maximum } = level;
  return {
    ...{ name: item.name, branch: branch?.name ?? null, state, counted, unit: item.unit, bar },
    ...{ minimum, par, maximum, counted_on: day },
  };
}
