/** Draws the history of a cost as a step line: in braille for a terminal, as SVG for a page. */
import { curveStepAfter, line } from 'd3-shape';
import { createBrailleCanvas, dotsPerColumn, dotsPerRow } from '../../terminal/braille.ts';
import { shortenName } from '../page.ts';
import type { CostHistory } from './cost-history.ts';

const heightLines = 10;

type Point = [x: number, y: number];

/** Returns the lines of the drawing, which ends at `today` (`YYYY-MM-DD`). The list is empty if no adjustment changed the cost. */
export function drawCosts(
  history: CostHistory,
  today: string,
  { width, color }: { width: number; color: boolean },
): string[] {
  const scale = scaleOf(history, today);
  if (!scale) return [];
  const labels = [scale.highestCost, scale.lowestCost].map((cost) => String(cost));
  const margin = Math.max(...labels.map(({ length }) => length)) + 1;
  const columns = Math.max(8, width - margin);
  const canvas = createBrailleCanvas(columns, heightLines, color);
  canvas.color('cyan');
  const toPosition = scale.mapperFor(columns * dotsPerColumn - 1, heightLines * dotsPerRow - 1);
  line<Point>()
    .curve(curveStepAfter)
    // A step line uses only `moveTo` and `lineTo` of the canvas.
    .context(canvas as unknown as CanvasRenderingContext2D)(scale.points.map(toPosition));
  const chartLines = canvas.lines().map((text, lineIndex) => {
    const label = lineIndex === 0 ? labels[0] : lineIndex === heightLines - 1 ? labels[1] : '';
    return `${(label ?? '').padStart(margin - 1)} ${text}`.trimEnd();
  });
  const dates = `${scale.startDate}${today.padStart(Math.max(columns - scale.startDate.length, today.length + 1))}`;
  return [...chartLines, `${' '.repeat(margin)}${dates}`];
}

/** Returns the drawing as SVG. The text is empty if no adjustment changed the cost. */
export function renderCostsSvg(history: CostHistory, today: string): string {
  const scale = scaleOf(history, today);
  if (!scale) return '';
  const [width, svgHeight, margin] = [960, 320, 60];
  const toPosition = scale.mapperFor(width - 2 * margin, svgHeight - 2 * margin);
  const path = line<Point>().curve(curveStepAfter)(
    scale.points.map(toPosition).map(([x, y]): Point => [x + margin, y + margin]),
  );
  const text = (x: number, y: number, label: string) =>
    `<text class="scale" x="${x}" y="${y}">${label}</text>`;
  return `<svg viewBox="0 0 ${width} ${svgHeight}" role="img" aria-label="Costs over time"><path class="line" d="${path}"/>${text(4, margin + 4, String(scale.highestCost))}${text(4, svgHeight - margin + 4, String(scale.lowestCost))}${text(margin, svgHeight - 16, scale.startDate)}${text(width - margin - 70, svgHeight - 16, today)}</svg>`;
}

interface Scale {
  /** Each point has a day, counted from 1970, and the cost from that day on. */
  points: readonly Point[];
  /** The first day, `YYYY-MM-DD`. */
  startDate: string;
  lowestCost: number;
  highestCost: number;
  /** Returns a function that maps points to a drawing of this width and height, with the origin at the top left. */
  mapperFor(width: number, height: number): (point: Point) => Point;
}

/** Returns the scale from the cost before the first change, if it is known, to the last cost today. */
function scaleOf({ changes }: CostHistory, today: string): Scale | undefined {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return undefined;
  const dayNumber = (date: string) => Date.parse(date) / 86_400_000;
  const end = Math.max(dayNumber(today), dayNumber(last.day) + 1);
  const start =
    dayNumber(first.day) - (first.previousCost === null ? 0 : Math.max(1, (end - dayNumber(first.day)) / 10));
  const points: Point[] = [
    ...(first.previousCost === null ? [] : [[start, first.previousCost] as Point]),
    ...changes.map(({ day, cost }): Point => [dayNumber(day), cost]),
    [end, last.cost],
  ];
  const costs = points.map(([, cost]) => cost);
  const [lowestCost, highestCost] = [Math.min(...costs), Math.max(...costs)];
  // A cost that never changed is drawn in the middle.
  const span = highestCost === lowestCost ? 1 : highestCost - lowestCost;
  const baseCost = highestCost === lowestCost ? lowestCost - 0.5 : lowestCost;
  return {
    points,
    startDate: new Date(start * 86_400_000).toISOString().slice(0, 10),
    lowestCost,
    highestCost,
    mapperFor:
      (width, height) =>
      ([day, cost]) => [((day - start) / (end - start)) * width, (1 - (cost - baseCost) / span) * height],
  };
}

export interface CostedRecord {
  name: string;
  unit: string | null;
}

export function describeCosts(history: CostHistory, { name, unit }: CostedRecord): string[] {
  const { changes, drafts, currentCost } = history;
  const [first, last] = [changes[0], changes.at(-1)];
  const perUnit = unit === null ? '' : ` for one ${unit}`;
  return [
    ...changes.map(
      ({ day, previousCost, cost, change, reference, branch }) =>
        `${day}: ${previousCost === null ? '' : `from ${previousCost} `}to ${cost}${formatChange(change)}${formatSource(reference, branch)}.`,
    ),
    ...(first && last && changes.length > 1 ? [formatCostRange(history)] : []),
    ...(changes.length === 0 ? [`No closed cost adjustment changes the cost of ${shortenName(name)}.`] : []),
    ...(currentCost === null ? [] : [`Current cost of ${shortenName(name)}: ${currentCost}${perUnit}.`]),
    ...(currentCost !== null && last && last.cost !== currentCost
      ? ['The last adjustment set another cost: the cost was changed elsewhere, or it differs by branch.']
      : []),
    ...drafts.map(
      ({ cost, reference, branch }) => `Not in effect yet: ${cost}${formatSource(reference, branch)}.`,
    ),
  ];
}

function formatCostRange({ changes }: CostHistory): string {
  const costs = changes.map(({ cost }) => cost);
  return `Between ${Math.min(...costs)} and ${Math.max(...costs)} since ${changes[0]?.day}.`;
}

function formatChange(change: number | null): string {
  if (change === null || change === 0) return '';
  const percent = Math.abs(change * 100);
  return `, ${change > 0 ? 'up' : 'down'} ${percent.toLocaleString('en-US', { maximumFractionDigits: 1 })}%`;
}

function formatSource(reference: string | null, branch: string | null): string {
  const words = [reference, branch].filter((word) => word !== null);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
