/** Checks the unpacked size of a workbook in its ZIP directory before it is unpacked. */

/** Bytes of a workbook file at most. */
export const maxFileBytes = 64 * 1024 * 1024;
/** Bytes of the unpacked content at most: several times the size of 50,000 customers. */
const maxContentBytes = 256 * 1024 * 1024;
/** Parts of a workbook at most; most have a few dozen. */
const maxEntries = 10_000;

const [endMark, entryMark] = [0x06054b50, 0x02014b50];
const [endLength, entryLength, longestComment] = [22, 46, 0xffff];

/**
 * Returns why a workbook must not be unpacked, as the end of a sentence, or undefined. The library stops at the size in the
 * directory, so a false size makes it fail instead of using more memory.
 */
export function tooMuchIn(bytes: Buffer): string | undefined {
  const end = endOf(bytes);
  if (end === undefined) return 'is damaged or cut short: it has no list of its contents';
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  // The library would look for a ZIP64 directory, which no allowed workbook needs.
  if (bytes.readUInt32LE(end + 12) > bytes.length)
    return 'is damaged: its list of contents is larger than the file';
  if (count > maxEntries) return `has ${count} parts, more than any workbook`;
  let sum = 0;
  for (let entry = 0; entry < count; entry++) {
    if (at + entryLength > bytes.length || bytes.readUInt32LE(at) !== entryMark)
      return 'is damaged: its list of contents is incomplete';
    const [packed, unpacked] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const isSaidLater = (bytes.readUInt16LE(at + 8) & 8) !== 0 && packed === 0;
    // Without a size the library would unpack until memory is full.
    if (packed > bytes.length || (unpacked === 0 && packed > 2) || isSaidLater)
      return 'is damaged: the sizes of its parts are missing';
    sum += unpacked;
    if (sum > maxContentBytes) {
      return `is larger than ${maxContentBytes / 1024 / 1024} MB when unpacked`;
    }
    at +=
      entryLength + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return undefined;
}

function endOf(bytes: Buffer): number | undefined {
  const from = Math.max(0, bytes.length - endLength - longestComment);
  for (let at = bytes.length - endLength; at >= from; at--) if (bytes.readUInt32LE(at) === endMark) return at;
  return undefined;
}
