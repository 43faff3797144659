/** The verbs that draw pictures: `delivery-zones map`, `timed-events week`, `inventory-items costs` and `levels`. */

import type { Row } from '../../../account/client/shape.ts';
import { isDate } from '../../../api/contract/date-time.ts';
import { requireOperation } from '../../../api/contract/operation.ts';
import type { Pictures } from '../../../api/contract/pictures.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import type { Position } from '../../../engine/areas/area.ts';
import { buildZoneMap, type ZoneMap, type ZoneRecord } from '../../../engine/areas/zone-map.ts';
import { buildWeek, formatHour, type Week } from '../../../engine/weeks/build-week.ts';
import { parseEvent } from '../../../engine/weeks/parse-event.ts';
import type { Context } from '../../context/context.ts';
import type { DisplayOptions } from '../../output/result.ts';
import { buildCostHistory, costRows } from '../../pictures/costs/cost-history.ts';
import { describeCosts, drawCosts, renderCostsSvg } from '../../pictures/costs/draw-costs.ts';
import {
  compareLevels,
  describeLevels,
  type ItemLevel,
  type LevelItem,
  levelRows,
} from '../../pictures/levels/compare-levels.ts';
import { renderLevelBar, renderLevelsSvg } from '../../pictures/levels/draw-levels.ts';
import { describeOrders, type ItemSupplier, orderLines, ordersOf } from '../../pictures/levels/order-list.ts';
import { describeMap, describeOverlaps, describePoint, formatArea } from '../../pictures/map/describe-map.ts';
import { drawMap, renderMapSvg } from '../../pictures/map/draw-map.ts';
import { toGeoJson, zoneRows } from '../../pictures/map/map-data.ts';
import { letterLabel } from '../../pictures/page.ts';
import {
  dayName,
  describeWeek,
  formatDateRange,
  runRows,
  weekData,
  weekNotes,
} from '../../pictures/week/describe-week.ts';
import { drawWeek, eventsOfWeek, renderWeekHtml } from '../../pictures/week/draw-week.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { repeated } from '../flags/flag-table.ts';
import {
  documentResourceOf,
  type FilterFlags,
  filtersIn,
  formatSentences,
  formatTable,
  type NamesById,
  nameOf,
  namesOf,
  numberOrNull,
  type Picture,
  type PictureFlags,
  pictureFlags,
  readAllRecords,
  readLines,
  showPicture,
  stringOrNull,
} from './picture.ts';
import { drawRecipeCosts } from './recipe-costs.ts';

export function mapCommand(resource: Resource, context: Context): Command {
  return createCommand(context, {
    name: 'map',
    about: `Show ${resource.nouns} on a map, with overlaps and gaps between them. -o json prints GeoJSON.`,
    flags: [
      ['--branch <branch>', `only ${resource.nouns} of this branch`],
      ['--point <lat,lng>', `show which ${resource.noun} contains a point, for example 24.71,46.68`],
      ...pictureFlags(resource),
    ],
    examples: [`boh ${resource.command} map --branch @Riverside --point 24.71,46.68`],
    run: (_, flags) => showPicture(context, flags, () => drawMapOf(resource, flags, context)),
  });
}

async function drawMapOf(
  resource: Resource,
  flags: PictureFlags & { branch?: string; point?: string },
  context: Context,
): Promise<Picture> {
  const { map: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no map`);
  const point = flags.point === undefined ? undefined : parsePoint(flags.point);
  const branchFilter = resource.filters.find(({ on }) => on === fields.branches)?.name;
  const branchFilters =
    flags.branch === undefined || branchFilter === undefined
      ? []
      : [{ name: branchFilter, values: [flags.branch] }];
  const { filters, filter } = filtersIn(flags, resource);
  const rows = await readAllRecords(context, resource, {
    filters: [...filters, ...branchFilters],
    filter,
    optional: [fields.branches],
  });
  const names = await namesOf(context, resource, fields.branches);
  const zones = rows.map(
    (row): ZoneRecord => ({
      id: String(row.id),
      name: String(row[resource.title ?? 'id'] ?? row.id),
      reference: stringOrNull(row[fields.code]),
      branches: rowsIn(row[fields.branches]).map((branch) => nameOf(branch, names)),
      border: row[fields.border],
    }),
  );
  const map = buildZoneMap(zones, point);
  return {
    title: `Map of ${resource.nouns}`,
    data: toGeoJson(map),
    rows: zoneRows(map),
    key: 'id',
    sentences: describeMap(map),
    drawLines: (display: DisplayOptions) => [...drawMap(map, display), ...formatMapLegend(map, display)],
    drawHtml: () => renderMapSvg(map as ZoneMap),
  };
}

/** Parses latitude and longitude, the order that maps use. Returns longitude first, like the API. */
function parsePoint(text: string): Position {
  const [, latitude, longitude] = /^\s*(-?\d+(?:\.\d+)?)\s*[, ]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  const position: Position = [Number(longitude), Number(latitude)];
  if (Math.abs(position[1]) <= 90 && Math.abs(position[0]) <= 180) return position;
  throw usage('--point takes latitude and longitude in degrees, for example 24.71,46.68.');
}

function rowsIn(value: unknown): Row[] {
  return Array.isArray(value)
    ? value.filter((item): item is Row => typeof item === 'object' && item !== null)
    : [];
}

function formatMapLegend(map: ZoneMap, display: DisplayOptions): string[] {
  const { zones, point } = map;
  if (zones.length === 0) return ['No delivery zones.'];
  const rows = zones.map((zone, index) => ({
    letter: zone.km2 === null ? null : letterLabel(index),
    name: zone.name,
    reference: zone.reference,
    size: zone.km2 === null ? null : formatArea(zone.km2),
    branches: zone.branches.length > 0 ? zone.branches.join(', ') : null,
    problems: zone.area.problems.length > 0 ? zone.area.problems.join('; ') : null,
  }));
  const columns = [
    { name: 'letter', header: '', isIndivisible: true },
    { name: 'name', minWidth: 20 },
    { name: 'reference', rank: 2 },
    { name: 'size', align: 'right' as const },
    { name: 'branches', rank: 1 },
    ...(rows.some(({ problems }) => problems !== null) ? [{ name: 'problems', minWidth: 20 }] : []),
  ];
  const notes = [...(point ? [describePoint(point)] : []), ...describeOverlaps(map)];
  return ['', ...formatTable(display, columns, rows), '', ...formatSentences(notes, display)];
}

export function weekCommand(resource: Resource, context: Context): Command {
  return createCommand(context, {
    name: 'week',
    about: `Show a week of ${resource.nouns} hour by hour, with overlaps and events that never run.`,
    flags: [['--date <date>', 'the week of this day (default: today)'], ...pictureFlags(resource)],
    examples: [`boh ${resource.command} week --date 2026-12-31`],
    run: (_, flags) => showPicture(context, flags, () => drawWeekOf(resource, flags, context)),
  });
}

async function drawWeekOf(
  resource: Resource,
  flags: PictureFlags & { date?: string },
  context: Context,
): Promise<Picture> {
  const { date } = flags;
  if (date !== undefined && !isDate(date)) throw usage('--date takes a date, for example 2026-12-31.');
  const week = await readWeek(resource, filtersIn(flags, resource), date, context);
  return {
    title: `Week of ${week.dates[0]} to ${week.dates.at(-1)}`,
    data: weekData(week),
    rows: runRows(week.runs),
    key: 'id',
    sentences: describeWeek(week),
    drawLines: (display: DisplayOptions) => [
      ...drawWeek(week, display),
      ...formatWeekLegend(week, weekNotes(week), display),
    ],
    drawHtml: () => renderWeekHtml(week),
  };
}

/** Reads the week of a day, by default of today. */
export async function readWeek(
  resource: Resource,
  filters: FilterFlags,
  date: string | undefined,
  context: Context,
): Promise<Week> {
  const { week: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no week`);
  const today = context.now().toISOString().slice(0, 10);
  const optional = [...fields.sharedScope, ...fields.appliesTo];
  const rows = await readAllRecords(context, resource, { ...filters, optional });
  const events = rows.map((row) => parseEvent(row, resource, fields));
  return buildWeek(events, date ?? today, today);
}

function formatWeekLegend(week: Week, notes: readonly string[], display: DisplayOptions): string[] {
  const rows = eventsOfWeek(week).map(({ name, effect, from, to, days, fromDate, toDate }, index) => ({
    letter: letterLabel(index),
    name,
    effect,
    hours: `${formatHour(from ?? 0)}–${formatHour(to ?? 0)}`,
    days: days.length === 7 ? 'every day' : days.map((day) => dayName(day).slice(0, 3)).join(' '),
    dates: formatDateRange(fromDate, toDate),
  }));
  const columns = [
    { name: 'letter', header: '', isIndivisible: true },
    { name: 'name', minWidth: 16 },
    { name: 'effect', rank: 1 },
    { name: 'hours', isIndivisible: true },
    { name: 'days', rank: 2, minWidth: 11 },
    { name: 'dates', rank: 3, isIndivisible: true },
  ];
  const table = rows.length === 0 ? [] : ['', ...formatTable(display, columns, rows), ''];
  return [...table, ...formatSentences(notes, display)];
}

export function costsCommand(resource: Resource, context: Context): Command {
  const { costs } = resource.pictures ?? {};
  if (!costs) throw new Error(`${resource.name} has no costs`);
  const documents = documentResourceOf(resource, costs);
  return createCommand(context, {
    name: 'costs',
    about: `Show the cost of one ${resource.noun} over time, from ${documents.nouns}. The filters apply to ${documents.nouns}.`,
    args: [
      [`[${resource.one}]`, 'the ID, or @NAME; without it, the costs of all recipes from current prices'],
    ],
    flags: [
      ...pictureFlags(documents),
      ['--if <item=price>', 'without an item: what another price changes (repeatable)', repeated],
    ],
    examples: [
      `boh ${resource.command} costs @${resource.exampleKey}`,
      `boh ${resource.command} costs --if ${resource.exampleKey}=5.5`,
    ],
    run: ([item], flags) => {
      const { if: prices = [], open } = flags;
      if (item !== undefined && prices.length > 0)
        throw usage(`--if shows all recipes: omit the ${resource.noun}.`);
      if (item === undefined && open) throw usage('--open needs the item.');
      return showPicture(context, flags, () =>
        item === undefined
          ? drawRecipeCosts(resource, costs, prices, context)
          : drawCostsOf(resource, costs, item, flags, context),
      );
    },
  });
}

async function drawCostsOf(
  resource: Resource,
  costs: NonNullable<Pictures['costs']>,
  itemId: string,
  flags: PictureFlags,
  context: Context,
): Promise<Picture> {
  const get = requireOperation(resource, 'get');
  const { record } = await (await context.session()).get({ operation: get, ids: [itemId] });
  const lines = await readLines(
    context,
    resource,
    costs,
    filtersIn(flags, documentResourceOf(resource, costs)),
  );
  const itemLines = lines.filter(({ item }) => item === String(record.id));
  const history = buildCostHistory(
    itemLines.map((line) => ({
      id: line.id,
      reference: line.title,
      day: line.day,
      isInEffect: line.isDone,
      branch: line.branch?.name ?? null,
      cost: line.number,
      previousCost: numberOrNull(line.linkFields[costs.previousCost]),
    })),
    numberOrNull(record[costs.currentCost]),
  );
  const name = String(record[resource.title ?? 'id'] ?? record.id);
  const sentences = describeCosts(history, { name, unit: stringOrNull(record[costs.unit]) });
  const today = context.now().toISOString().slice(0, 10);
  return {
    title: `Cost of ${name}`,
    data: costRows(history),
    key: 'id',
    sentences,
    drawLines: (display) => [
      ...drawCosts(history, today, display),
      '',
      ...formatSentences(sentences, display),
    ],
    drawHtml: () => renderCostsSvg(history, today),
  };
}

type LevelFields = NonNullable<Pictures['levels']>;

export function levelsCommand(resource: Resource, context: Context): Command {
  const { levels } = resource.pictures ?? {};
  if (!levels) throw new Error(`${resource.name} has no levels`);
  const { nouns } = documentResourceOf(resource, levels);
  return createCommand(context, {
    name: 'levels',
    about:
      `Show the last counted quantity of ${resource.nouns} in each branch, with minimum, par and maximum. The quantities ` +
      `come from ${nouns} that are ${levels.final.word}: the API has no stock on hand.`,
    flags: [
      ['--branch <branch>', 'only counts of this branch; other items are shown as not counted'],
      ['--since <date>', `only ${nouns} after this day`],
      ...(levels.order ? ([['--order', 'what to order from each supplier to reach par']] as const) : []),
      ...pictureFlags(resource),
    ],
    examples: [
      `boh ${resource.command} levels --branch @Riverside`,
      ...(levels.order ? [`boh ${resource.command} levels --order -o csv`] : []),
    ],
    run: (_, flags) =>
      showPicture(context, flags, () =>
        flags.order ? drawOrders(resource, flags, context) : drawLevels(resource, flags, context),
      ),
  });
}

async function drawOrders(
  resource: Resource,
  flags: PictureFlags & { branch?: string; since?: string },
  context: Context,
): Promise<Picture> {
  const { order } = resource.pictures?.levels ?? {};
  if (!order) throw new Error(`${resource.name} has no suppliers`);
  if (flags.open) throw usage("--open can't be used with --order.");
  const { levels, rows } = await readLevels(resource, flags, context, [order.suppliers]);
  const names = await namesOf(context, resource, order.suppliers);
  const suppliers = rows.map((row) => [String(row.id), suppliersOf(row, order, names)] as const);
  const lines = orderLines(levels, new Map(suppliers));
  const orders = ordersOf(lines);
  const sentences = describeOrders(orders);
  const columns = [
    { name: 'name', minWidth: 16 },
    { name: 'quantity', ...numberColumn, isIndivisible: true },
    { name: 'unit', isIndivisible: true },
    { name: 'cost', ...numberColumn, rank: 1 },
    { name: 'missing', ...numberColumn, rank: 2 },
    { name: 'code', rank: 2 },
  ];
  return {
    title: 'Orders',
    data: lines,
    key: 'id',
    sentences,
    drawLines: (display) =>
      orders.length === 0
        ? formatSentences(sentences, display)
        : orders.flatMap(({ title, lines, cost }) => [
            ...formatSentences([title], display),
            ...formatTable(display, columns, [...lines, { name: 'Total', cost }]),
            '',
          ]),
    drawHtml: () => '',
  };
}

function suppliersOf(row: Row, order: NonNullable<LevelFields['order']>, names: NamesById): ItemSupplier[] {
  const suppliers = row[order.suppliers];
  return (Array.isArray(suppliers) ? (suppliers as Row[]) : []).flatMap((supplier) => {
    const link = (supplier.pivot ?? {}) as Row;
    const factor = numberOrNull(link[order.factor]) ?? 0;
    if (factor <= 0) return [];
    return [
      {
        ...{ name: nameOf(supplier, names), factor },
        ...{ unit: stringOrNull(link[order.unit]), code: stringOrNull(link[order.code]) },
        ...{ minimum: numberOrNull(link[order.minimum]), cost: numberOrNull(link[order.cost]) },
      },
    ];
  });
}

async function drawLevels(
  resource: Resource,
  flags: PictureFlags & { branch?: string; since?: string },
  context: Context,
): Promise<Picture> {
  const { levels } = await readLevels(resource, flags, context);
  const sentences =
    levels.length === 0 ? [`No ${resource.noun} matches the filters.`] : describeLevels(levels);
  const drawLines = (display: DisplayOptions) => {
    if (levels.length === 0) return formatSentences(sentences, display);
    const barColumns = Math.max(8, Math.min(30, Math.floor(display.width / 4)));
    const columns = levelColumns(levels);
    const tableRows = levels.map((level) => levelRow(level, renderLevelBar(level, barColumns)));
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

/** Reads the last counted quantities and the levels of all items. `optional` are further relations of the items. */
export async function readLevels(
  resource: Resource,
  flags: PictureFlags & { branch?: string; since?: string },
  context: Context,
  optional: readonly string[] = [],
): Promise<{ levels: ItemLevel[]; rows: Row[] }> {
  const { levels: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no levels`);
  const session = await context.session();
  const target = resource.fields[fields.branches]?.traits.target ?? '';
  const branch = flags.branch === undefined ? undefined : await session.names.idOf(target, flags.branch);
  const rows = await readAllRecords(context, resource, {
    ...filtersIn(flags, resource),
    optional: [fields.branches, ...optional],
  });
  const filters = sinceFilter(resource, fields, flags.since);
  const lines = await readLines(context, resource, fields, { filters });
  const names = await namesOf(context, resource, fields.branches);
  const counts = lines
    .filter(({ isDone }) => isDone)
    .map(({ item, number: quantity, branch: lineBranch, day }) => ({
      ...{ item, quantity, branch: lineBranch, day },
    }));
  const items = rows.map((row) => levelItemOf(row, resource, fields, names));
  return { levels: compareLevels(items, counts, branch), rows };
}

function sinceFilter(resource: Resource, fields: LevelFields, since: string | undefined) {
  if (since === undefined) return [];
  const filter = documentResourceOf(resource, fields).filters.find(
    ({ on, match }) => on === fields.day && match === 'after',
  );
  if (!isDate(since) || !filter) throw usage('--since takes a date, for example 2026-12-31.');
  return [{ name: filter.name, values: [since] }];
}

function levelItemOf(row: Row, { title }: Resource, fields: LevelFields, names: NamesById): LevelItem {
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
function levelColumns(levels: readonly ItemLevel[]) {
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

function levelRow(level: ItemLevel, bar: string) {
  const { item, branch, state, counted, day, minimum, par, maximum } = level;
  return {
    ...{ name: item.name, branch: branch?.name ?? null, state, counted, unit: item.unit, bar },
    ...{ minimum, par, maximum, counted_on: day },
  };
}
