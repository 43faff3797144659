/** The picture of the architecture: the parts in layers, drawn from the table of imports. */
import { basics, type Part } from './parts.ts';

const width = 1000;
const gap = 14;
const boxHeight = 76;
/** Between floors, for the lines. */
const between = 46;
const floorHeight = boxHeight + between;
const margin = 20;

interface Box {
  name: string;
  part: Part;
  x: number;
  y: number;
  width: number;
}

/** `present` are the parts that are there; those that are only planned are left out. */
export function housePicture(parts: Readonly<Record<string, Part>>, present: readonly string[]): string {
  const names = Object.keys(parts).filter((name) => present.includes(name) && name !== basics);
  const below = (name: string) => (parts[name]?.imports ?? []).filter((other) => names.includes(other));
  const floors = floorsOf(names, below);
  const height = margin * 2 + (floors.length + 1) * floorHeight - between;
  const boxes = floors.flatMap((floor, level) => {
    const boxWidth = (width - 2 * margin - gap * (floor.length - 1)) / floor.length;
    const y = height - margin - boxHeight - (level + 1) * floorHeight;
    return floor.map((name, at) => ({
      name,
      part: parts[name] as Part,
      x: margin + at * (boxWidth + gap),
      y,
      width: boxWidth,
    }));
  });
  const lines = boxes.flatMap((box) => directly(box.name, below).flatMap((name) => line(box, boxes, name)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">
<title>Who stands on whom in src/: a part imports what lies below it and is joined to it by a line</title>
<rect width="${width}" height="${height}" fill="#fbfaf7"/>
${lines.join('\n')}
${boxes.map((box) => drawn(box, below(box.name))).join('\n')}
${groundUnder(height, parts[basics]?.about ?? '')}
</svg>
`;
}

/** Each part one floor above the highest that it imports. */
function floorsOf(names: readonly string[], below: (name: string) => string[]): string[][] {
  const height = new Map<string, number>();
  const heightOf = (name: string): number => {
    const known = height.get(name) ?? Math.max(-1, ...below(name).map(heightOf)) + 1;
    height.set(name, known);
    return known;
  };
  const floors: string[][] = [];
  for (const name of names) {
    const level = heightOf(name);
    floors[level] = [...(floors[level] ?? []), name];
  }
  return floors;
}

/** The parts that are imported by no way round. */
function directly(name: string, below: (name: string) => string[]): string[] {
  const all = below(name);
  const reaches = (from: string, to: string): boolean =>
    below(from).some((next) => next === to || reaches(next, to));
  return all.filter((other) => !all.some((between) => between !== other && reaches(between, other)));
}

function line(from: Box, boxes: readonly Box[], name: string): string[] {
  const to = boxes.find((box) => box.name === name);
  if (!to) return [];
  const [x1, y1] = [from.x + from.width / 2, from.y + boxHeight];
  const [x2, y2] = [to.x + to.width / 2, to.y];
  const bend = (y1 + y2) / 2;
  return [
    `<path d="M${x1} ${y1} C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}" fill="none" stroke="#b3a58d" stroke-width="1.3"/>`,
  ];
}

/** What all stand on, without lines: one slab with the names. */
function groundUnder(height: number, about: string): string {
  const y = height - margin - boxHeight;
  const lines = wrapped(about, Math.floor((width - 2 * margin) / 8));
  return [
    `<g><title>${escaped(`Every part may import ${basics}`)}</title>`,
    `<rect x="${margin}" y="${y}" width="${width - 2 * margin}" height="${boxHeight}" rx="8" fill="#ece6da" stroke="#7a6f5d"/>`,
    ...[`${basics}, for every part`, ...lines].map(
      (words, at) =>
        `<text x="${width / 2}" y="${y + 24 + at * 20}" text-anchor="middle" font-size="${at === 0 ? 12 : 14}" fill="${at === 0 ? '#5d5446' : '#2b2620'}">${escaped(words)}</text>`,
    ),
    '</g>',
  ].join('\n');
}

function drawn({ name, part, x, y, width: boxWidth }: Box, below: readonly string[]): string {
  const middle = x + boxWidth / 2;
  const text = (dy: number, size: number, colour: string, words: string, more = '') =>
    `<text x="${middle}" y="${y + dy}" text-anchor="middle" font-size="${size}" fill="${colour}"${more}>${escaped(words)}</text>`;
  const about = wrapped(part.about, Math.floor(boxWidth / 7));
  return [
    `<g><title>${escaped(`${name} imports ${below.join(', ') || 'nothing'}`)}</title>`,
    `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" fill="#fff" stroke="#7a6f5d"/>`,
    text(24, 16, '#2b2620', name, ' font-weight="600"'),
    ...about.map((words, at) => text(44 + at * 15, 12, '#5d5446', words)),
    '</g>',
  ].join('\n');
}

function wrapped(words: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
