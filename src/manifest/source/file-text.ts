/** The text of a manifest, from a file or from standard input: whole, in UTF-8 or in UTF-16 with a byte order mark, and no longer than somebody would write. */
import { createReadStream } from 'node:fs';
import { markOf } from '../../base/byte-order-mark.ts';
import { usage } from '../../base/errors.ts';
import { lookAt, refuseChangedFile, unreadable } from '../../tables/named-file.ts';

const mostMegabytes = 64;
const mostBytes = mostMegabytes * 1024 * 1024;

/** Throws `usage` where it can’t be read, isn’t text, or is written to meanwhile. */
export async function fileText(file: string): Promise<string> {
  const named = await lookAt(file, file);
  const bytes = await bytesOf(createReadStream(file, { highWaterMark: 1024 * 1024 }), file);
  if (!named.isReadOnce) await refuseChangedFile(named);
  return decoded(bytes, file);
}

/** Throws `usage` where it can’t be read, or isn’t text. */
export async function inputText(stdin: NodeJS.ReadableStream): Promise<string> {
  const called = 'Standard input';
  return decoded(await bytesOf(stdin, called), called);
}

async function bytesOf(stream: NodeJS.ReadableStream, called: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      if (size > mostBytes) break;
    }
  } catch (cause) {
    throw unreadable(called, cause);
  }
  if (size <= mostBytes) return Buffer.concat(chunks, size);
  throw usage(`${called} is too large for a manifest: it has more than ${mostMegabytes} MB.`, {
    hint: 'Divide it into several files, and name the folder with all of them.',
  });
}

function decoded(bytes: Buffer, called: string): string {
  const marked = markOf(bytes);
  const encoding = marked === 'utf-16le' || marked === 'utf-16be' ? marked : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // UTF-16 without a mark is UTF-8 with zero bytes, as far as the bytes tell.
    if (!text.includes('\0')) return text;
  } catch (cause) {
    throw notText(called, encoding, cause);
  }
  throw notText(called, encoding);
}

function notText(called: string, encoding: string, cause?: unknown) {
  return usage(`${called} is no text in ${encoding.toUpperCase()}.`, {
    hint: 'Save it in UTF-8.',
    ...(cause !== undefined && { cause }),
  });
}
