/** Reads whole files that people name, up to a limit: a device, such as /dev/zero, may never end. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

/** The most that is read into memory, in megabytes. */
export const maxTextMegabytes = 64;

const maxBytes = maxTextMegabytes * 1024 * 1024;
const blockBytes = 1024 * 1024;

/** Reads a file. Throws a system error, also if it has more than `maxTextMegabytes`. */
export async function readBounded(file: string): Promise<Buffer> {
  return boundedBytes(createReadStream(file, { highWaterMark: blockBytes }));
}

/** Reads a stream to its end. Throws a system error if it has more than `maxTextMegabytes`. */
export async function boundedBytes(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    blocks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
  }
  return Buffer.concat(blocks, size);
}

/** Reads a file as `readBounded` does, without other work meanwhile. */
export function readBoundedSync(file: string): Buffer {
  const opened = openSync(file, 'r');
  try {
    const blocks: Buffer[] = [];
    let size = 0;
    while (size <= maxBytes) {
      const block = Buffer.alloc(blockBytes);
      const read = readSync(opened, block);
      if (read === 0) return Buffer.concat(blocks, size);
      blocks.push(block.subarray(0, read));
      size += read;
    }
    throw tooLarge();
  } finally {
    closeSync(opened);
  }
}

/** Returns whether an error is the one for too many bytes. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const code = 'ERR_FS_FILE_TOO_LARGE';

function tooLarge(): Error {
  return Object.assign(new Error(`it has more than ${maxTextMegabytes} MB`), { code });
}
