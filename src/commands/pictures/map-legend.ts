/** What stands below a map on a terminal: a line for each zone by its letter, then what overlaps and what is missing. */
import type { Page } from '../../interaction/output/result.ts';
import { letterFor } from '../../pictures/letters.ts';
import { meetingWords, pointWords, sizeWords } from '../../pictures/map/map-words.ts';
import type { ZoneMap } from '../../pictures/map/zone-map.ts';
import { renderTable } from '../../terminal/table.ts';
import { sentences } from './picture.ts';

export function legend(map: ZoneMap, page: Page): string[] {
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
