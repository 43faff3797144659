/** Draws with braille characters: each character of the terminal has two dots across and four down. */
import { createPaint, type Style } from './color.ts';

/** The canvas that d3 draws on. Coordinates are dots from the top left corner. */
export interface Canvas {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
  /** Draws a point of any radius as one dot. */
  arc(x: number, y: number): void;
  /** Draws the outline of a box. */
  rect(x: number, y: number, width: number, height: number): void;
  /** Writes short text over the drawing. */
  label(x: number, y: number, text: string): void;
  /** Sets the color of the next lines and labels. */
  color(style: Style | undefined): void;
  /** Returns the lines of characters, without trailing spaces. */
  lines(): string[];
}

/** The number of dots in the width of a character. */
export const dotsPerColumn = 2;
/** The number of dots in the height of a character. */
export const dotsPerRow = 4;

/** The bit of each dot in a braille character, row by row. */
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

interface Cell {
  dots: number;
  style: Style | undefined;
  letter?: string;
}

/** Creates an empty canvas of `columns` by `rows` characters. */
export function createBrailleCanvas(columns: number, rows: number, isColored: boolean): Canvas {
  const cells = Array.from({ length: rows }, () =>
    Array.from({ length: columns }, (): Cell => ({ dots: 0, style: undefined })),
  );
  const paint = createPaint(isColored);
  let style: Style | undefined;
  let [startX, startY, x, y] = [0, 0, 0, 0];

  const drawDot = (dotX: number, dotY: number) => {
    const cell = cells[Math.floor(dotY / dotsPerRow)]?.[Math.floor(dotX / dotsPerColumn)];
    if (!cell) return;
    cell.dots |= bits[dotY % dotsPerRow]?.[dotX % dotsPerColumn] ?? 0;
    cell.style = style;
  };
  const lineTo = (endX: number, endY: number) => {
    for (const [dotX, dotY] of dotsBetween([x, y], [endX, endY], columns * dotsPerColumn, rows * dotsPerRow))
      drawDot(dotX, dotY);
    [x, y] = [endX, endY];
  };
  const moveTo = (endX: number, endY: number) => {
    [startX, startY, x, y] = [endX, endY, endX, endY];
  };
  return {
    moveTo,
    lineTo,
    closePath: () => lineTo(startX, startY),
    arc: (endX, endY) => {
      moveTo(endX, endY);
      lineTo(endX, endY);
    },
    rect(left, top, width, height) {
      moveTo(left, top);
      lineTo(left + width, top);
      lineTo(left + width, top + height);
      lineTo(left, top + height);
      lineTo(left, top);
    },
    label(labelX, labelY, text) {
      const row = cells[Math.floor(labelY / dotsPerRow)];
      const first = Math.min(Math.floor(labelX / dotsPerColumn), columns - text.length);
      for (const [index, letter] of [...text].entries()) {
        const cell = row?.[first + index];
        if (cell) Object.assign(cell, { letter, style });
      }
    },
    color(next) {
      style = next;
    },
    lines: () =>
      cells.map((row) =>
        row
          .map((cell) => cellText(cell, paint))
          .join('')
          .replace(/[ \u2800]+$/, ''),
      ),
  };
}

function cellText({ dots, style, letter }: Cell, paint: ReturnType<typeof createPaint>): string {
  const text = letter ?? (dots === 0 ? ' ' : String.fromCharCode(0x2800 + dots));
  return style === undefined || text === ' ' ? text : paint[style](text);
}

type Point = readonly [x: number, y: number];

/** Yields the dots of a straight line that are on the canvas. */
function* dotsBetween(
  [fromX, fromY]: Point,
  [endX, endY]: Point,
  width: number,
  height: number,
): Generator<Point> {
  if (![fromX, fromY, endX, endY].every(Number.isFinite)) return;
  const steps = Math.ceil(Math.max(Math.abs(endX - fromX), Math.abs(endY - fromY), 1));
  // A line may be much longer than the canvas, so only the steps near it are computed.
  const [first, last] = visibleSteps([fromX, fromY], [endX, endY], steps, width, height);
  for (let step = first; step <= last; step++) {
    const x = Math.round(fromX + ((endX - fromX) * step) / steps);
    const y = Math.round(fromY + ((endY - fromY) * step) / steps);
    if (x >= 0 && y >= 0 && x < width && y < height) yield [x, y];
  }
}

/** Returns the first and last step of a line that are near the canvas. */
function visibleSteps([ax, ay]: Point, [bx, by]: Point, steps: number, width: number, height: number): Point {
  let [first, last] = [0, steps];
  for (const [from, to, size] of [
    [ax, bx, width],
    [ay, by, height],
  ] as const) {
    if (from === to) continue;
    const [startStep, endStep] = [
      ((-1 - from) / (to - from)) * steps,
      ((size + 1 - from) / (to - from)) * steps,
    ];
    first = Math.max(first, Math.floor(Math.min(startStep, endStep)));
    last = Math.min(last, Math.ceil(Math.max(startStep, endStep)));
  }
  return [first, last];
}
