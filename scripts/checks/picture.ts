/** Draws the architecture diagram: the modules in layers with their parts, from the table of allowed imports. */
import { baseModule, type Module, type Part } from './parts.ts';

const width = 1000;
const margin = 20;
const gap = 12;
const titleHeight = 40;
const partHeight = 62;
const partWidth = 175;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the diagram as SVG. Each module is above those that it imports; modules side by side don't import each other. */
export function architecturePicture(modules: Readonly<Record<string, Module>>): string {
  let y = margin;
  const drawings: string[] = [];
  for (const row of rowsOf(modules)) {
    const shares = row.map(([, { parts }]) => Math.min(Object.keys(parts).length, 5));
    const unit =
      (width - 2 * margin - gap * (row.length - 1)) / shares.reduce((sum, share) => sum + share, 0);
    const widths = shares.map((share) => share * unit);
    const height = Math.max(...row.map(([, module], index) => heightOf(module, widths[index] ?? 0)));
    let x = margin;
    for (const [index, [name, module]] of row.entries()) {
      const boxWidth = widths[index] ?? 0;
      drawings.push(drawModule(name, module, { x, y, width: boxWidth, height }));
      x += boxWidth + gap;
    }
    y += height + gap;
  }
  const height = y - gap + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">
<title>The modules of src/ in layers, with their parts: a module imports only modules below it</title>
<rect width="${width}" height="${height}" fill="#fbfaf7"/>
${drawings.join('\n')}
</svg>
`;
}

/** Returns the modules by layer, highest first. */
function rowsOf(modules: Readonly<Record<string, Module>>): [string, Module][][] {
  const moduleOfPart = new Map(
    Object.entries(modules).flatMap(([name, { parts }]) => Object.keys(parts).map((part) => [part, name])),
  );
  const levelOf = (name: string): number => {
    const imports = Object.values(modules[name]?.parts ?? {}).flatMap((part) => part.imports);
    const lower = new Set([...imports.map((part) => moduleOfPart.get(part)), baseModule]);
    const levels = [...lower].map((other) => (other === undefined || other === name ? -1 : levelOf(other)));
    return name === baseModule ? 0 : Math.max(...levels) + 1;
  };
  const rows: [string, Module][][] = [];
  for (const entry of Object.entries(modules)) {
    const level = levelOf(entry[0]);
    rows[level] = [...(rows[level] ?? []), entry];
  }
  return rows.reverse();
}

/** The part of a module without other parts is the module itself, which needs no box. */
function partsOf({ parts }: Module): [string, Part][] {
  const entries = Object.entries(parts);
  return entries.length === 1 ? [] : entries;
}

function columnsOf(boxWidth: number): number {
  return Math.max(1, Math.floor((boxWidth - gap) / (partWidth + gap)));
}

function heightOf(module: Module, boxWidth: number): number {
  const rows = Math.ceil(partsOf(module).length / columnsOf(boxWidth));
  return titleHeight + rows * (partHeight + gap);
}

function drawModule(name: string, module: Module, box: Box): string {
  const columns = columnsOf(box.width);
  const cellWidth = (box.width - gap) / columns;
  const title = wrap(module.purpose, Math.floor((box.width - 24) / 7));
  return [
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="8" fill="#ece6da" stroke="#7a6f5d"/>`,
    ...(partsOf(module).length > 0
      ? [
          `<text x="${box.x + gap}" y="${box.y + 26}" font-size="16" fill="#2b2620"><tspan font-weight="600">${name}</tspan><tspan font-size="13" fill="#5d5446">: ${escapeXml(module.purpose)}</tspan></text>`,
        ]
      : [
          `<text x="${box.x + gap}" y="${box.y + 26}" font-size="16" font-weight="600" fill="#2b2620">${name}</text>`,
          ...title.map((line, index) => textAt(box.x + gap, box.y + 48 + index * 17, 13, line)),
        ]),
    ...partsOf(module).map(([partName, part], index) =>
      drawPart(partName, part, {
        x: box.x + gap + (index % columns) * cellWidth,
        y: box.y + titleHeight + Math.floor(index / columns) * (partHeight + gap),
        width: cellWidth - gap,
        height: partHeight,
      }),
    ),
  ].join('\n');
}

function drawPart(name: string, { purpose, imports }: Part, { x, y, width: boxWidth, height }: Box): string {
  return [
    `<g><title>${escapeXml(`${name} may import ${imports.join(', ') || 'no other part'}`)}</title>`,
    `<rect x="${x}" y="${y}" width="${boxWidth}" height="${height}" rx="6" fill="#fff" stroke="#b3a58d"/>`,
    `<text x="${x + 10}" y="${y + 21}" font-size="14" font-weight="600" fill="#2b2620">${name}</text>`,
    ...wrap(purpose, Math.floor((boxWidth - 16) / 6.4)).map((line, index) =>
      textAt(x + 10, y + 38 + index * 14, 12, line),
    ),
    '</g>',
  ].join('\n');
}

function textAt(x: number, y: number, size: number, text: string): string {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="#5d5446">${escapeXml(text)}</text>`;
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
