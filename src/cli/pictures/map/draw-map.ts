/** Draws a map of zones: in braille for a terminal, as SVG for a page. */
import { type GeoContext, type GeoProjection, geoMercator, geoPath } from 'd3-geo';
import { boundsOf, type Position, type Ring } from '../../../engine/areas/area.ts';
import type { ZoneMap } from '../../../engine/areas/zone-map.ts';
import { createBrailleCanvas, dotsPerColumn, dotsPerRow } from '../../terminal/braille.ts';
import type { Style } from '../../terminal/color.ts';
import { escapeHtml, letterLabel } from '../page.ts';

/** The colors of the zones, which are used in turn so that neighbors differ. */
const styles: readonly Style[] = ['cyan', 'yellow', 'green', 'magenta', 'red', 'blue'];

/** The maximum and minimum height of the drawing in lines. */
const [maxHeightLines, minHeightLines] = [30, 8];

/** Returns the lines of the drawing, with a letter in the middle of each zone. The list is empty if no zone has an area. */
export function drawMap(map: ZoneMap, { width, color }: { width: number; color: boolean }): string[] {
  const columns = Math.max(10, width);
  const rows = Math.min(maxHeightLines, Math.max(minHeightLines, Math.round(columns / 4)));
  const projection = projectionFor(map, columns * dotsPerColumn - 1, rows * dotsPerRow - 1);
  if (!projection) return [];
  const canvas = createBrailleCanvas(columns, rows, color);
  // Only outlines are drawn, so d3 uses only the canvas methods for paths.
  const path = geoPath(projection, canvas as unknown as GeoContext).pointRadius(0);
  for (const [index, { area }] of map.zones.entries()) {
    canvas.color(styles[index % styles.length]);
    for (const ring of area.rings) path(outline(ring));
  }
  for (const [index, { area }] of map.zones.entries()) {
    const position = area.rings[0] && projection(middleOf(area.rings[0]));
    canvas.color(styles[index % styles.length]);
    if (position) canvas.label(...position, letterLabel(index));
  }
  const point = map.point && projection(map.point.position);
  canvas.color('red');
  if (point) canvas.label(...point, '✕');
  const lines = canvas.lines();
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

/** Returns the map as SVG with the names of the zones. The text is empty if no zone has an area. */
export function renderMapSvg(map: ZoneMap): string {
  const [width, height] = [960, 600];
  const projection = projectionFor(map, width - 40, height - 40, 20);
  if (!projection) return '';
  const path = geoPath(projection);
  const shapes = map.zones.map(({ area, name }, index) => {
    const position = area.rings[0] && projection(middleOf(area.rings[0]));
    if (!position) return '';
    const pathData = area.rings.map((ring) => path(outline(ring)) ?? '').join('');
    return (
      `<path class="zone hue-${index % styles.length}" d="${pathData}"><title>${escapeHtml(name)}</title></path>` +
      `<text x="${position[0].toFixed(1)}" y="${position[1].toFixed(1)}">${escapeHtml(name)}</text>`
    );
  });
  const overlaps = map.overlaps.map(({ polygons }) => {
    const pathData = polygons.flat().map((ring) => path(outline(ring)) ?? '');
    return `<path class="overlap" d="${pathData.join('')}"/>`;
  });
  const gaps = map.gaps.map(({ ring }) => `<path class="gap" d="${path(outline(ring)) ?? ''}"/>`);
  const pointPosition = map.point && projection(map.point.position);
  const point = pointPosition
    ? `<circle class="point" cx="${pointPosition[0].toFixed(1)}" cy="${pointPosition[1].toFixed(1)}" r="6"/>`
    : '';
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Map of delivery zones">${[...shapes, ...overlaps, ...gaps, point].join('\n')}</svg>`;
}

/** Returns a ring as a line instead of an area, so that its direction doesn't matter and it may cross itself. */
function outline(ring: Ring): { type: 'LineString'; coordinates: Position[] } {
  return { type: 'LineString', coordinates: [...ring, ...ring.slice(0, 1)] };
}

/** Returns a Mercator projection that shows everything, rotated so that no zone is cut at the antimeridian. */
function projectionFor(
  { zones, point }: ZoneMap,
  width: number,
  height: number,
  margin = 0,
): GeoProjection | undefined {
  const rings = zones.flatMap(({ area }) => area.rings);
  if (rings.length === 0) return undefined;
  const corners = [...rings.flat(), ...(point ? [point.position] : [])];
  const [west, , east] = boundsOf(rings);
  return geoMercator()
    .rotate([-(west + east) / 2, 0])
    .fitExtent(
      [
        [margin, margin],
        [margin + width, margin + height],
      ],
      { type: 'MultiPoint', coordinates: corners },
    );
}

function middleOf(ring: Ring): Position {
  const [west, south, east, north] = boundsOf([ring]);
  return [(west + east) / 2, (south + north) / 2];
}
