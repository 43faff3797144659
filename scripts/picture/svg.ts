/** Draws the lines of a terminal as SVG text. Each piece starts at its column in any font. */
import { type Piece, splitIntoPieces } from './pieces.ts';

interface DrawOptions {
  columns: number;
  title: string;
  description: string;
}

// All measures are in pixels. Letters of most monospaced fonts are 0.6 times as wide as the font size.
const fontSize = 14;
const cellWidth = fontSize * 0.6;
const lineHeight = 21;
const titleBarHeight = 40;
const margin = 24;

/** Returns an SVG file with light and dark colors. */
export function drawTerminal(lines: string[], { columns, title, description }: DrawOptions): string {
  const width = Math.round(columns * cellWidth + 2 * margin);
  const height = titleBarHeight + lines.length * lineHeight + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escapeXml(title)}</title>
<desc id="description">${escapeXml(description)}</desc>
<style>
${style}
</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>
${[0, 1, 2].map((index) => `<circle class="button" cx="${margin + index * 20}" cy="${titleBarHeight / 2}" r="5.5"/>`).join('\n')}
${lines.flatMap((line, index) => splitIntoPieces(line).map((piece) => drawPiece(piece, index))).join('\n')}
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
text { font: ${fontSize}px ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  fill: var(--text) }
.bold { font-weight: 700 }
.dim { fill: var(--dim) }
.strike { text-decoration: line-through }
${['red', 'green', 'yellow', 'blue', 'cyan'].map((color) => `.${color} { fill: var(--${color}) }`).join('\n')}`;

/** Returns a text element. Arabic text doesn't get a text length, because it would separate the letters. */
function drawPiece(piece: Piece, line: number): string {
  const attributes = {
    x: roundToTenth(margin + piece.column * cellWidth),
    y: titleBarHeight + line * lineHeight + fontSize,
    ...(piece.isRightToLeft ? {} : { textLength: roundToTenth(piece.width * cellWidth) }),
    ...(piece.styles.length > 0 ? { class: piece.styles.join(' ') } : {}),
  };
  const attributeTexts = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `<text ${attributeTexts.join(' ')}>${escapeXml(piece.text)}</text>`;
}

function roundToTenth(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
