/** The few styles boh uses, each a function that leaves the text alone where colour is off. */
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

export type Paint = Record<Style, (text: string) => string>;

/** `painter(streams.colour.err).red('no')`. The text is styled as it is: clean it and measure it before. */
export function painter(enabled: boolean): Paint {
  return enabled ? coloured : plain;
}

const coloured = paint((style) => (text) => styleText(styles[style], text, { validateStream: false }));
const plain = paint(() => (text) => text);

function paint(make: (style: Style) => (text: string) => string): Paint {
  return Object.fromEntries((Object.keys(styles) as Style[]).map((style) => [style, make(style)])) as Paint;
}
