/** Reads the ZIP directory of a workbook, and checks the unpacked size before anything is unpacked. */

/** The maximum size of a workbook file, in bytes. */
export const maxFileBytes = 64 * 1024 * 1024;
/** The maximum size of the unpacked content, in bytes: several times the size of 50,000 customers. */
const maxContentBytes = 256 * 1024 * 1024;
/** The maximum number of files in a workbook. Most have a few dozen. */
const maxEntries = 10_000;

const [endSignature, entrySignature] = [0x06054b50, 0x02014b50];
const [endLength, entryLength, maxCommentLength] = [22, 46, 0xffff];

/**
 * Returns why a workbook must not be unpacked, as the end of a sentence, or undefined. The library stops at the size in the
 * directory, so a false size makes it fail instead of using more memory.
 */
export function sizeProblemOf(bytes: Buffer): string | undefined {
  const end = directoryEnd(bytes);
  if (end === undefined) return 'is damaged or incomplete: it has no list of its contents';
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  // The library would look for a ZIP64 directory, which no allowed workbook needs.
  if (bytes.readUInt32LE(end + 12) > bytes.length)
    return 'is damaged: its list of contents is larger than the file';
  if (count > maxEntries) return `has ${count} parts, more than any workbook`;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(bytes, at);
    if (!entry) return 'is damaged: its list of contents is incomplete';
    const { packed, unpacked } = entry;
    const isSizeDeferred = (bytes.readUInt16LE(at + 8) & 8) !== 0 && packed === 0;
    // Without a size the library would unpack until memory is full.
    if (packed > bytes.length || (unpacked === 0 && packed > 2) || isSizeDeferred)
      return 'is damaged: the sizes of its parts are missing';
    sum += unpacked;
    if (sum > maxContentBytes) {
      return `is larger than ${maxContentBytes / 1024 / 1024} MB when unpacked`;
    }
    at = entry.end;
  }
  return undefined;
}

/** A file in the directory. */
export interface ZipEntry {
  name: string;
  /** The sizes in bytes. */
  packed: number;
  unpacked: number;
  isCompressed: boolean;
  /** The position of the file's header. */
  offset: number;
  /** The position after the entry. */
  end: number;
}

/** Returns the files of a workbook without size problems, by name. */
export function readZipEntries(bytes: Buffer): ReadonlyMap<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  const end = directoryEnd(bytes);
  let entry = end === undefined ? undefined : entryAt(bytes, bytes.readUInt32LE(end + 16));
  for (; entry; entry = entryAt(bytes, entry.end)) entries.set(entry.name, entry);
  return entries;
}

function entryAt(bytes: Buffer, at: number): ZipEntry | undefined {
  if (at + entryLength > bytes.length || bytes.readUInt32LE(at) !== entrySignature) return undefined;
  const nameEnd = at + entryLength + bytes.readUInt16LE(at + 28);
  return {
    name: bytes.toString('utf8', at + entryLength, nameEnd),
    packed: bytes.readUInt32LE(at + 20),
    unpacked: bytes.readUInt32LE(at + 24),
    isCompressed: bytes.readUInt16LE(at + 10) !== 0,
    offset: bytes.readUInt32LE(at + 42),
    end: nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32),
  };
}

function directoryEnd(bytes: Buffer): number | undefined {
  const from = Math.max(0, bytes.length - endLength - maxCommentLength);
  for (let at = bytes.length - endLength; at >= from; at--)
    if (bytes.readUInt32LE(at) === endSignature) return at;
  return undefined;
}
