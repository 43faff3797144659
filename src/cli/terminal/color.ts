/** The text styles that boh uses. */
import { styleText } from 'node:util';

const styles = {
  bold: 'bold',
  dim: 'dim',
  red: 'red',
  green: 'green',
  yellow: 'yellow',
  blue: 'blue',
  magenta: 'magenta',
  cyan: 'cyan',
  strike: 'strikethrough',
  inverse: 'inverse',
} as const;

export type Style = keyof typeof styles;

/** Functions that add a style to text, by style. */
export type Paint = Record<Style, (text: string) => string>;

/** Returns a function for each style. If disabled, they return the text unchanged. Clean and measure text before you style it. */
export function createPaint(enabled: boolean): Paint {
  return enabled ? colored : plain;
}

const colored = createPaintFunctions(
  (style) => (text) => styleText(styles[style], text, { validateStream: false }),
);
const plain = createPaintFunctions(() => (text) => text);

function createPaintFunctions(createFunction: (style: Style) => (text: string) => string): Paint {
  return Object.fromEntries(
    (Object.keys(styles) as Style[]).map((style) => [style, createFunction(style)]),
  ) as Paint;
}
