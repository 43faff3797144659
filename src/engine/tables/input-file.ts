/** Opens a file of rows so that it can be read more than once, even if it is a pipe. */
import { createReadStream, createWriteStream } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { usage } from '../../base/errors.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../base/temporary-folder.ts';
import { checkFile, readFailure, refuseChangedFile } from './check-file.ts';

export interface InputFile {
  /** The name of the file in messages: "The file prices.csv", "Standard input". */
  label: string;
  /** The name of the file; undefined for a pipe. */
  name: string | undefined;
  /** The path, which can be read repeatedly. */
  path: string;
  /** The extension of the name in lower case, without the dot. */
  extension: string;
  read(): AsyncIterable<Buffer>;
  /** Throws a usage failure if the file has changed since it was opened. */
  refuseChanged(): Promise<void>;
  /** Returns a private folder for temporary files, which `close` deletes. */
  scratch(): string;
  /** Deletes the temporary files. */
  close(): Promise<void>;
}

/** Opens a file. `-` is standard input, which is copied to a private temporary file. */
export async function openInputFile(
  file: string,
  streams: { readonly stdin: NodeJS.ReadableStream },
): Promise<InputFile> {
  if (file === '')
    throw usage('The name of the file is empty.', { hint: 'Add a file name, or - for standard input.' });
  if (file === '-') return copyInput(streams.stdin);
  const checked = await checkFile(resolve(file), `The file ${basename(file)}`);
  const { path, label } = checked;
  if (checked.isReadOnce) return copyInput(createReadStream(path), label);
  return {
    ...inputFileAt(path, label, basename(file), async () => undefined),
    refuseChanged: () => refuseChangedFile(checked),
  };
}

async function copyInput(stream: NodeJS.ReadableStream, label = 'Standard input'): Promise<InputFile> {
  const folder = createTemporaryFolder('input');
  const close = async () => folder.remove();
  const path = join(folder.path, 'rows');
  try {
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    await close();
    throw readFailure(label, cause);
  }
  return inputFileAt(path, label, undefined, close);
}

function inputFileAt(
  path: string,
  label: string,
  name: string | undefined,
  close: () => Promise<void>,
): InputFile {
  let folder: TemporaryFolder | undefined;
  return {
    label,
    name,
    path,
    extension: extname(name ?? '')
      .slice(1)
      .toLowerCase(),
    read: () => readChunks(path, label),
    refuseChanged: async () => undefined,
    scratch: () => {
      folder ??= createTemporaryFolder('input');
      return folder.path;
    },
    close: async () => {
      folder?.remove();
      await close();
    },
  };
}

async function* readChunks(path: string, label: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Buffer;
  } catch (cause) {
    throw readFailure(label, cause);
  }
}
