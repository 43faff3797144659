/** Draws the lines of a terminal as an SVG: text stays text, and each piece starts at its own column in any font. */
import { type Piece, pieces } from './pieces.ts';

interface Words {
  columns: number;
  title: string;
  description: string;
}

/** In pixels, as all measures here. Most monospaced letters are 0.6 times as wide as their size. */
const size = 14;
const cell = size * 0.6;
const leading = 21;
const bar = 40;
const margin = 24;

/** A whole SVG file that follows the reader's choice of light or dark. */
export function drawing(lines: string[], { columns, title, description }: Words): string {
  const width = Math.round(columns * cell + 2 * margin);
  const height = bar + lines.length * leading + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>
${style}
</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>
${[0, 1, 2].map((index) => `<circle class="button" cx="${margin + index * 20}" cy="${bar / 2}" r="5.5"/>`).join('\n')}
${lines.flatMap((line, index) => pieces(line).map((piece) => drawn(piece, index))).join('\n')}
</svg>
`;
}

const style = `svg { --ground: #fbfaf8; --edge: #d9d6d0; --text: #2b2a28; --dim: #6f6b64; --red: #b3261e; --green: #2f7d3b;
  --yellow: #8a6100; --blue: #2a5db0; --cyan: #13737d }
@media (prefers-color-scheme: dark) {
  svg { --ground: #1d2127; --edge: #363c45; --text: #dcdfe4; --dim: #8f97a5; --red: #f28b82; --green: #8ccf8f;
    --yellow: #e5c07b; --blue: #8ab4f8; --cyan: #78c8d2 }
}
.window { fill: var(--ground); stroke: var(--edge) }
.button { fill: var(--edge) }
text { font: ${size}px ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  fill: var(--text) }
.bold { font-weight: 700 }
.dim { fill: var(--dim) }
.strike { text-decoration: line-through }
${['red', 'green', 'yellow', 'blue', 'cyan'].map((colour) => `.${colour} { fill: var(--${colour}) }`).join('\n')}`;

/** Spreading the letters of a piece over its cells would tear Arabic ones apart: they only get their place. */
function drawn(piece: Piece, line: number): string {
  const attributes = {
    x: rounded(margin + piece.column * cell),
    y: bar + line * leading + size,
    ...(piece.rightToLeft ? {} : { textLength: rounded(piece.width * cell) }),
    ...(piece.look.length > 0 ? { class: piece.look.join(' ') } : {}),
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `<text ${written.join(' ')}>${escaped(piece.text)}</text>`;
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
