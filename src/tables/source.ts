/** A file of rows as it is handed over: a path that can be read more than once, also where the rows come through a pipe. */
import { createReadStream, createWriteStream } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { usage } from '../base/errors.ts';
import { openScratch, type Scratch } from '../base/scratch.ts';
import { lookAt, refuseChangedFile, unreadable } from './named-file.ts';

export interface Source {
  /** Begins sentences: "The file prices.csv", "Standard input". */
  called: string;
  /** The file's name; none for what came through a pipe. */
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
export async function openSource(
  file: string,
  streams: { readonly stdin: NodeJS.ReadableStream },
): Promise<Source> {
  if (file === '')
    throw usage('The name of the file is empty.', { hint: 'Name one, or - for standard input.' });
  if (file === '-') return keptInput(streams.stdin);
  const named = await lookAt(resolve(file), `The file ${basename(file)}`);
  const { path, called } = named;
  if (named.isReadOnce) return keptInput(createReadStream(path), called);
  return {
    ...sourceAt(path, called, basename(file), async () => undefined),
    refuseChanged: () => refuseChangedFile(named),
  };
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
