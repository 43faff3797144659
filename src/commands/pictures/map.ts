/** `boh delivery-zones map`: draws delivery zones on a map, with overlaps, gaps and the zone of a point. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import type { DisplayOptions } from '../../output/result.ts';
import { letterLabel } from '../../pictures/labels.ts';
import type { Position } from '../../pictures/map/area.ts';
import { describeMap, describeOverlaps, describePoint, formatArea } from '../../pictures/map/describe-map.ts';
import { drawMap, renderMapSvg } from '../../pictures/map/draw-map.ts';
import { toGeoJson, zoneRows } from '../../pictures/map/map-data.ts';
import { buildZoneMap, type ZoneMap, type ZoneRecord } from '../../pictures/map/zone-map.ts';
import type { Command } from '../command.ts';
import { nameOf, namesOf } from './lines.ts';
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
  point?: string;
}

/** Adds the flags and the action of `map` to the command. */
export function configureMap(command: Command, resource: Resource, context: Context): void {
  command.description(
    `Show ${resource.nouns} on a map, with overlaps and gaps between them. -o json prints GeoJSON.`,
  );
  command.addOption(new Option('--branch <branch>', `only ${resource.nouns} of this branch`));
  command.addOption(
    new Option('--point <lat,lng>', `show which ${resource.noun} contains a point, for example 24.71,46.68`),
  );
  addPictureAction<Flags>({
    ...{
      command,
      context,
      filteredResource: resource,
      example: `boh ${resource.command} map --branch @Riverside --point 24.71,46.68`,
    },
    draw: (flags, filterFlags) => draw(resource, { ...flags, filterFlags }, context),
  });
}

async function draw(
  resource: Resource,
  { filterFlags, ...flags }: Flags & { filterFlags: FilterFlags },
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
  const rows = await readAllRecords(context, resource, {
    filters: [...filterFlags.filters, ...branchFilters],
    filter: filterFlags.filter,
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
    drawLines: (display: DisplayOptions) => [...drawMap(map, display), ...formatLegend(map, display)],
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

function formatLegend(map: ZoneMap, display: DisplayOptions): string[] {
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
