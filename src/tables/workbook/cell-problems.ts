/** Finds problems in the XML of a sheet that the library doesn't report. */
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { readZipEntries, type ZipEntry } from './zip-sizes.ts';

/**
 * Returns the problem of a sheet, as the end of a sentence: two cells with the same reference, of which the library returns
 * only the last one, or phonetic guides within a cell, which it adds to the text. `index` is the position of the sheet in
 * the workbook.
 */
export async function findCellProblem(bytes: Buffer, index: number): Promise<string | undefined> {
  const entries = readZipEntries(bytes);
  const entry = entries.get(await sheetPath(bytes, entries, index));
  if (!entry) return undefined;
  const seenReferences = new Set<string>();
  let remainder = '';
  for await (const chunk of contentOf(bytes, entry)) {
    const text = remainder + chunk.toString('latin1');
    // Every tag before the last `<` is complete.
    const end = text.lastIndexOf('<');
    for (const [, tag, attributes = ''] of text.slice(0, end).matchAll(/<(?:\w+:)?(row|c|rPh)(\s[^>]*)?>/g)) {
      if (tag === 'rPh') return 'has phonetic guides (furigana) within its cells';
      if (tag === 'row') seenReferences.clear();
      const reference = tag === 'c' ? attributeOf(attributes, 'r')?.toUpperCase() : undefined;
      if (reference === undefined) continue;
      if (seenReferences.has(reference)) return `has several cells with the reference ${reference}`;
      seenReferences.add(reference);
    }
    remainder = text.slice(end);
  }
  return undefined;
}

/** Returns the path of a sheet in the ZIP file; '' if the workbook has an unusual structure. */
async function sheetPath(
  bytes: Buffer,
  entries: ReadonlyMap<string, ZipEntry>,
  index: number,
): Promise<string> {
  const readEntry = async (name: string) => {
    const entry = entries.get(name);
    return entry ? (await Array.fromAsync(contentOf(bytes, entry))).join('') : '';
  };
  const sheets = [...(await readEntry('xl/workbook.xml')).matchAll(/<(?:\w+:)?sheet\s([^>]*)>/g)];
  const id = attributeOf(sheets[index]?.[1] ?? '', '\\w+:id');
  const relations = (await readEntry('xl/_rels/workbook.xml.rels')).matchAll(
    /<(?:\w+:)?Relationship\s([^>]*)>/g,
  );
  const relation = [...relations].find(([, attributes = '']) => attributeOf(attributes, 'Id') === id)?.[1];
  const target = attributeOf(relation ?? '', 'Target') ?? '';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function attributeOf(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
}

/** Returns the unpacked content of a file. The sizes in the directory were checked before. */
function contentOf(bytes: Buffer, { offset, packedBytes, isCompressed }: ZipEntry): AsyncIterable<Buffer> {
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = Readable.from([bytes.subarray(start, start + packedBytes)]);
  return isCompressed ? content.pipe(createInflateRaw()) : content;
}
