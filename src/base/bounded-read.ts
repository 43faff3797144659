/** Reads complete files up to a size limit, because a device such as /dev/zero has no end. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

/** The maximum size of a file, in megabytes. */
export const maxFileMegabytes = 64;

const maxBytes = maxFileMegabytes * 1024 * 1024;
const blockBytes = 1024 * 1024;

/** Reads a file. Throws the system error if it can't be read, and an error with a code if it is larger than `maxFileMegabytes`. */
export async function readBoundedFile(file: string): Promise<Buffer> {
  return readBoundedStream(createReadStream(file, { highWaterMark: blockBytes }));
}

/** Reads a stream to its end. Throws an error with a code if it is larger than `maxFileMegabytes`. */
export async function readBoundedStream(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let bytesRead = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    blocks.push(bytes);
    bytesRead += bytes.length;
    if (bytesRead > maxBytes) throw tooLargeError();
  }
  return Buffer.concat(blocks, bytesRead);
}

/** Reads a file as `readBoundedFile` does, but synchronously. */
export function readBoundedFileSync(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const blocks: Buffer[] = [];
    let bytesRead = 0;
    while (bytesRead <= maxBytes) {
      const block = Buffer.alloc(blockBytes);
      const count = readSync(descriptor, block);
      if (count === 0) return Buffer.concat(blocks, bytesRead);
      blocks.push(block.subarray(0, count));
      bytesRead += count;
    }
    throw tooLargeError();
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether an error was thrown because a file is too large. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === tooLargeCode;
}

const tooLargeCode = 'ERR_FS_FILE_TOO_LARGE';

function tooLargeError(): Error {
  return Object.assign(new Error(`it has more than ${maxFileMegabytes} MB`), { code: tooLargeCode });
}
