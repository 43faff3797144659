/** Reads the ZIP directory of a workbook, and checks the unpacked size before anything is unpacked. */

/** The maximum size of a workbook file, in bytes. */
export const maxFileBytes = 64 * 1024 * 1024;
/** The maximum size of the unpacked content, in bytes: several times the size of 50,000 customers. */
const maxContentBytes = 256 * 1024 * 1024;
/** The maximum number of files in a workbook. Most have a few dozen. */
const maxEntries = 10_000;

const [endSignature, entrySignature] = [0x06054b50, 0x02014b50];
/** The fixed sizes of both entries, and the maximum size of the comment at the end, in bytes. */
const [endBytes, entryBytes, maxCommentBytes] = [22, 46, 0xffff];

/**
 * Returns why a workbook must not be unpacked, as the end of a sentence, or undefined. The library stops at the size in the
 * directory, so a false size makes it fail instead of using more memory.
 */
export function sizeProblemOf(bytes: Buffer): string | undefined {
  const end = findDirectoryEnd(bytes);
  if (end === undefined) return 'is damaged or incomplete: it has no list of its contents';
  const count = bytes.readUInt16LE(end + 10);
  let offset = bytes.readUInt32LE(end + 16);
  // The library would look for a ZIP64 directory, which no allowed workbook needs.
  if (bytes.readUInt32LE(end + 12) > bytes.length)
    return 'is damaged: its list of contents is larger than the file';
  if (count > maxEntries) return `has ${count} parts; the limit is ${maxEntries}`;
  let totalBytes = 0;
  for (let index = 0; index < count; index++) {
    const entry = readEntryAt(bytes, offset);
    if (!entry) return 'is damaged: its list of contents is incomplete';
    const { packedBytes, unpackedBytes } = entry;
    const isSizeDeferred = (bytes.readUInt16LE(offset + 8) & 8) !== 0 && packedBytes === 0;
    // Without a size the library would unpack until memory is full.
    if (packedBytes > bytes.length || (unpackedBytes === 0 && packedBytes > 2) || isSizeDeferred)
      return 'is damaged: the sizes of its parts are missing';
    totalBytes += unpackedBytes;
    if (totalBytes > maxContentBytes) {
      return `is larger than ${maxContentBytes / 1024 / 1024} MB when unpacked`;
    }
    offset = entry.end;
  }
  return undefined;
}

/** A file in the directory. */
export interface ZipEntry {
  name: string;
  /** The sizes in bytes. */
  packedBytes: number;
  unpackedBytes: number;
  isCompressed: boolean;
  /** The position of the file's header. */
  offset: number;
  /** The position after the entry. */
  end: number;
}

/** Returns the files of a workbook without size problems, by name. */
export function readZipEntries(bytes: Buffer): ReadonlyMap<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  const end = findDirectoryEnd(bytes);
  let entry = end === undefined ? undefined : readEntryAt(bytes, bytes.readUInt32LE(end + 16));
  for (; entry; entry = readEntryAt(bytes, entry.end)) entries.set(entry.name, entry);
  return entries;
}

function readEntryAt(bytes: Buffer, offset: number): ZipEntry | undefined {
  if (offset + entryBytes > bytes.length || bytes.readUInt32LE(offset) !== entrySignature) return undefined;
  const nameEnd = offset + entryBytes + bytes.readUInt16LE(offset + 28);
  return {
    name: bytes.toString('utf8', offset + entryBytes, nameEnd),
    packedBytes: bytes.readUInt32LE(offset + 20),
    unpackedBytes: bytes.readUInt32LE(offset + 24),
    isCompressed: bytes.readUInt16LE(offset + 10) !== 0,
    offset: bytes.readUInt32LE(offset + 42),
    end: nameEnd + bytes.readUInt16LE(offset + 30) + bytes.readUInt16LE(offset + 32),
  };
}

function findDirectoryEnd(bytes: Buffer): number | undefined {
  const from = Math.max(0, bytes.length - endBytes - maxCommentBytes);
  for (let offset = bytes.length - endBytes; offset >= from; offset--)
    if (bytes.readUInt32LE(offset) === endSignature) return offset;
  return undefined;
}
