/** What a workbook comes to when it is unpacked, as its own list of contents says: looked at before anything is. */

/** The file that a workbook is packed in, in bytes. */
export const largestFile = 64 * 1024 * 1024;
/** All that is packed in it together, in bytes: several times what 50,000 rows of customers are. */
const largestContent = 256 * 1024 * 1024;
/** A workbook has some dozens. */
const mostEntries = 10_000;

const [endMark, entryMark] = [0x06054b50, 0x02014b50];
const [endLength, entryLength, longestComment] = [22, 46, 0xffff];

/**
 * Why it should not be unpacked, as the end of a sentence; undefined where it may be. The library stops at the size that
 * is said here, so that a list of contents that lies makes it fail rather than grow.
 */
export function tooMuchIn(bytes: Buffer): string | undefined {
  const end = endOf(bytes);
  if (end === undefined) return 'is damaged or cut short: it has no list of its contents';
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  // The library would look for a second list, of the large form: no workbook that is small enough needs one.
  if (bytes.readUInt32LE(end + 12) > bytes.length)
    return 'is damaged: its list of contents is larger than the file';
  if (count > mostEntries) return `holds ${count} parts, which no workbook does`;
  let sum = 0;
  for (let entry = 0; entry < count; entry++) {
    if (at + entryLength > bytes.length || bytes.readUInt32LE(at) !== entryMark)
      return 'is damaged: its list of contents breaks off';
    const [packed, unpacked] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const isSaidLater = (bytes.readUInt16LE(at + 8) & 8) !== 0 && packed === 0;
    // Without a size the library would go on until memory is full.
    if (packed > bytes.length || (unpacked === 0 && packed > 2) || isSaidLater)
      return "is damaged: it doesn't say how large its parts are";
    sum += unpacked;
    if (sum > largestContent) {
      return `comes to more than ${largestContent / 1024 / 1024} MB when it is unpacked`;
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
