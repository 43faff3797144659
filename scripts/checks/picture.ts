/** Draws the architecture diagram: the parts in layers, from the table of allowed imports. */
import { basePart, type Part } from './parts.ts';

const width = 1000;
const gap = 14;
const boxHeight = 76;
/** The space between layers, for the lines. */
const layerGap = 46;
const layerHeight = boxHeight + layerGap;
const margin = 20;

interface Box {
  name: string;
  part: Part;
  x: number;
  y: number;
  width: number;
}

/** Returns the diagram of the existing parts as SVG. Parts that don't exist are ignored. */
export function architecturePicture(
  parts: Readonly<Record<string, Part>>,
  existingParts: readonly string[],
): string {
  const names = Object.keys(parts).filter((name) => existingParts.includes(name) && name !== basePart);
  const importsOf = (name: string) => (parts[name]?.imports ?? []).filter((other) => names.includes(other));
  const layers = layersOf(names, importsOf);
  const height = margin * 2 + (layers.length + 1) * layerHeight - layerGap;
  const boxes = layers.flatMap((layer, level) => {
    const boxWidth = (width - 2 * margin - gap * (layer.length - 1)) / layer.length;
    const y = height - margin - boxHeight - (level + 1) * layerHeight;
    return layer.map((name, index) => ({
      name,
      part: parts[name] as Part,
      x: margin + index * (boxWidth + gap),
      y,
      width: boxWidth,
    }));
  });
  const lines = boxes.flatMap((box) =>
    importsWithoutIndirect(box.name, importsOf).flatMap((name) => lineTo(box, boxes, name)),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">
<title>The parts of src/ in layers: a line joins a part with a part below it that it may import</title>
<rect width="${width}" height="${height}" fill="#fbfaf7"/>
${lines.join('\n')}
${boxes.map((box) => drawPart(box, importsOf(box.name))).join('\n')}
${drawBasePart(height, parts[basePart]?.purpose ?? '')}
</svg>
`;
}

/** Returns the parts by layer. Each part is one layer above the highest part that it imports. */
function layersOf(names: readonly string[], importsOf: (name: string) => string[]): string[][] {
  const levels = new Map<string, number>();
  const levelOf = (name: string): number => {
    const level = levels.get(name) ?? Math.max(-1, ...importsOf(name).map(levelOf)) + 1;
    levels.set(name, level);
    return level;
  };
  const layers: string[][] = [];
  for (const name of names) {
    const level = levelOf(name);
    layers[level] = [...(layers[level] ?? []), name];
  }
  return layers;
}

/** Returns the imported parts that aren't also imported indirectly, through another part. */
function importsWithoutIndirect(name: string, importsOf: (name: string) => string[]): string[] {
  const imports = importsOf(name);
  const reaches = (from: string, to: string): boolean =>
    importsOf(from).some((next) => next === to || reaches(next, to));
  return imports.filter((target) => !imports.some((other) => other !== target && reaches(other, target)));
}

function lineTo(from: Box, boxes: readonly Box[], name: string): string[] {
  const to = boxes.find((box) => box.name === name);
  if (!to) return [];
  const [x1, y1] = [from.x + from.width / 2, from.y + boxHeight];
  const [x2, y2] = [to.x + to.width / 2, to.y];
  const middle = (y1 + y2) / 2;
  return [
    `<path d="M${x1} ${y1} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}" fill="none" stroke="#b3a58d" stroke-width="1.3"/>`,
  ];
}

/** Returns the box of the base part, which has the full width and no lines. */
function drawBasePart(height: number, purpose: string): string {
  const y = height - margin - boxHeight;
  const lines = wrap(purpose, Math.floor((width - 2 * margin) / 8));
  return [
    `<g><title>${escapeXml(`Every part may import ${basePart}`)}</title>`,
    `<rect x="${margin}" y="${y}" width="${width - 2 * margin}" height="${boxHeight}" rx="8" fill="#ece6da" stroke="#7a6f5d"/>`,
    ...[`${basePart}, for every part`, ...lines].map(
      (text, index) =>
        `<text x="${width / 2}" y="${y + 24 + index * 20}" text-anchor="middle" font-size="${index === 0 ? 12 : 14}" fill="${index === 0 ? '#5d5446' : '#2b2620'}">${escapeXml(text)}</text>`,
    ),
    '</g>',
  ].join('\n');
}

function drawPart({ name, part, x, y, width: boxWidth }: Box, imports: readonly string[]): string {
  const middle = x + boxWidth / 2;
  const textAt = (dy: number, size: number, color: string, text: string, attributes = '') =>
    `<text x="${middle}" y="${y + dy}" text-anchor="middle" font-size="${size}" fill="${color}"${attributes}>${escapeXml(text)}</text>`;
  const purposeLines = wrap(part.purpose, Math.floor(boxWidth / 7));
  return [
    `<g><title>${escapeXml(`${name} may import ${imports.join(', ') || 'no part'}`)}</title>`,
    `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" fill="#fff" stroke="#7a6f5d"/>`,
    textAt(24, 16, '#2b2620', name, ' font-weight="600"'),
    ...purposeLines.map((line, index) => textAt(44 + index * 15, 12, '#5d5446', line)),
    '</g>',
  ].join('\n');
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
