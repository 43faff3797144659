/** `boh delivery-zones map`: where the zones are, how they overlap, and which of them holds a point. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Page } from '../../output/result.ts';
import { letterFor } from '../../pictures/labels.ts';
import type { Position } from '../../pictures/map/area.ts';
import { drawMap, svgMap } from '../../pictures/map/draw-map.ts';
import { geoJson, zoneRows } from '../../pictures/map/map-facts.ts';
import { mapWords, meetingWords, pointWords, sizeWords } from '../../pictures/map/map-words.ts';
import { type GivenZone, type ZoneMap, zoneMap } from '../../pictures/map/zone-map.ts';
import { renderTable } from '../../terminal/table.ts';
import type { Command } from '../command.ts';
import { nameOf, namesOf } from './lines.ts';
import {
  addPicture,
  givenFilters,
  type Picture,
  type PictureFlags,
  readRecords,
  sentences,
  textOf,
} from './picture.ts';

interface Flags extends PictureFlags {
  branch?: string;
  point?: string;
}

export function configureMap(command: Command, resource: Resource, context: Context): void {
  command.description(
    `Draw ${resource.nouns} on a map, with what overlaps and what is left between them. With -o json it is GeoJSON.`,
  );
  command.addOption(new Option('--branch <branch>', 'those of this branch alone'));
  command.addOption(
    new Option('--point <lat,lng>', 'which of them holds this point, as maps say it: 24.71,46.68'),
  );
  addPicture<Flags>({
    ...{
      command,
      context,
      listed: resource,
      example: `boh ${resource.command} map --branch @Riverside --point 24.71,46.68`,
    },
    draw: (flags) => draw(command, resource, flags, context),
  });
}

async function draw(command: Command, resource: Resource, flags: Flags, context: Context): Promise<Picture> {
  const { map: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no map`);
  const point = flags.point === undefined ? undefined : readPoint(flags.point);
  const branchFilter = resource.filters.find(({ on }) => on === fields.branches)?.name;
  const filters = givenFilters(command, resource);
  const ofBranch =
    flags.branch === undefined || branchFilter === undefined
      ? []
      : [{ name: branchFilter, texts: [flags.branch] }];
  const rows = await readRecords(context, resource, {
    filters: [...filters, ...ofBranch],
    filter: flags.filter,
    optional: [fields.branches],
  });
  const names = await namesOf(context, resource, fields.branches);
  const given = rows.map(
    (row): GivenZone => ({
      id: String(row.id),
      name: String(row[resource.title ?? 'id'] ?? row.id),
      reference: textOf(row[fields.code]),
      branches: listOf(row[fields.branches]).map((branch) => nameOf(branch, names)),
      border: row[fields.border],
    }),
  );
  const map = zoneMap(given, point);
  return {
    title: `Map of ${resource.nouns}`,
    facts: geoJson(map),
    rows: zoneRows(map),
    key: 'id',
    words: mapWords(map),
    drawn: (page: Page) => [...drawMap(map, page), ...legend(map, page)].map((line) => `${line}\n`).join(''),
    page: () => svgMap(map as ZoneMap),
  };
}

/** Latitude first, as people copy it from maps; the document has it the other way round. */
function readPoint(typed: string): Position {
  const [, latitude, longitude] = /^\s*(-?\d+(?:\.\d+)?)\s*[, ]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(typed) ?? [];
  const position: Position = [Number(longitude), Number(latitude)];
  if (Math.abs(position[1]) <= 90 && Math.abs(position[0]) <= 180) return position;
  throw usage('--point takes a latitude up to 90 and a longitude up to 180, such as 24.71,46.68.');
}

function listOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter((it): it is Row => typeof it === 'object' && it !== null) : [];
}

function legend(map: ZoneMap, page: Page): string[] {
  const { zones, point } = map;
  if (zones.length === 0) return ['There is no delivery zone.'];
  const rows = zones.map((zone, index) => ({
    letter: zone.size === null ? null : letterFor(index),
    name: zone.name,
    reference: zone.reference,
    size: zone.size === null ? null : sizeWords(zone.size),
    branches: zone.branches.length > 0 ? zone.branches.join(', ') : null,
    remarks: zone.area.problems.length > 0 ? zone.area.problems.join('; ') : null,
  }));
  const columns = [
    { name: 'letter', header: '', whole: true },
    { name: 'name', least: 20 },
    { name: 'reference', rank: 2 },
    { name: 'size', align: 'right' as const },
    { name: 'branches', rank: 1 },
    ...(rows.some(({ remarks }) => remarks !== null) ? [{ name: 'remarks', least: 20 }] : []),
  ];
  const { text } = renderTable(columns, rows, { ...page, isolate: page.isWindow && page.unicode });
  const remarks = [...(point ? [pointWords(point)] : []), ...meetingWords(map)];
  return ['', ...text.trimEnd().split('\n'), '', ...sentences(remarks, page)];
}
