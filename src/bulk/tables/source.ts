/** A file of rows as it is handed over: a path that can be read more than once, also where the rows come through a pipe. */
import { closeSync, createReadStream, createWriteStream, openSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { usage } from '../../errors.ts';
import { whyUnreadable } from '../../unreadable.ts';
import { openScratch, type Scratch } from '../scratch.ts';

export interface Source {
  /** Begins sentences: "The file prices.csv", "Standard input". */
  called: string;
  /** The file’s name; none for what came through a pipe. */
  name: string | undefined;
  /** Where it can be read, as often as needed. */
  path: string;
  /** The end of its name, in lower case and without the dot. */
  extension: string;
  read(): AsyncIterable<Buffer>;
  /** Throws a usage failure where it is another file by now than it was at first, as one that somebody is writing. */
  refuseChanged(): Promise<void>;
  /** A folder for what is made of it, readable for nobody else; gone when it is closed. */
  scratch(): string;
  /** Takes away what was kept of a pipe, and made of it. */
  close(): Promise<void>;
}

/** `-` is standard input, which is kept in a file of its own meanwhile, readable for nobody else. */
export async function openSource(file: string, stdin: NodeJS.ReadableStream): Promise<Source> {
  if (file === '')
    throw usage('The name of the file is empty.', { hint: 'Name one, or - for standard input.' });
  if (file === '-') return keptInput(stdin);
  const path = resolve(file);
  const called = `The file ${basename(file)}`;
  let found: Stats;
  try {
    found = await stat(path);
    // A pipe such as that of a process substitution can be read only once.
    if (found.isFIFO() || isTerminal(path, found)) return await keptInput(createReadStream(path), called);
    if (!found.isFile())
      throw usage(`${called} can’t be read: it is ${found.isDirectory() ? 'a folder' : 'no file'}.`);
  } catch (cause) {
    throw unreadable(called, cause);
  }
  return {
    ...sourceAt(path, called, basename(file), async () => undefined),
    refuseChanged: async () => {
      const now = await stat(path).catch(() => undefined);
      if (now?.ino === found.ino && now.size === found.size && now.mtimeMs === found.mtimeMs) return;
      throw usage(`${called} has changed while it was read; nothing was sent.`, {
        hint: 'Import it once it is whole.',
      });
    },
  };
}

/** Of other devices, such as /dev/zero, nobody knows where they end. */
function isTerminal(path: string, found: Stats): boolean {
  if (!found.isCharacterDevice()) return false;
  const opened = openSync(path, 'r');
  try {
    return isatty(opened);
  } finally {
    closeSync(opened);
  }
}

async function keptInput(stream: NodeJS.ReadableStream, called = 'Standard input'): Promise<Source> {
  const folder = openScratch('input');
  const close = async () => folder.remove();
  const path = join(folder.path, 'rows');
  try {
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    await close();
    throw unreadable(called, cause);
  }
  return sourceAt(path, called, undefined, close);
}

function sourceAt(
  path: string,
  called: string,
  name: string | undefined,
  close: () => Promise<void>,
): Source {
  let folder: Scratch | undefined;
  return {
    called,
    name,
    path,
    extension: extname(name ?? '')
      .slice(1)
      .toLowerCase(),
    read: () => reading(path, called),
    refuseChanged: async () => undefined,
    scratch: () => {
      folder ??= openScratch('input');
      return folder.path;
    },
    close: async () => {
      folder?.remove();
      await close();
    },
  };
}

async function* reading(path: string, called: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Buffer;
  } catch (cause) {
    throw unreadable(called, cause);
  }
}

function unreadable(called: string, cause: unknown): unknown {
  const why = whyUnreadable(cause);
  return why === undefined ? cause : usage(`${called} can’t be read: ${why}.`, { cause });
}
