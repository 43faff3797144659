/**
 * Finds the manifests that paths name: a path is a file, or a folder with all manifests below it, in sorted order.
 */
import { createReadStream, type Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Api } from '../../../api/contract/api.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { isTooLarge, readBoundedStream } from '../../../base/bounded-read.ts';
import { decodeTextFile } from '../../../base/decode-text.ts';
import { usage } from '../../../base/errors.ts';
import { describeReadError, readErrorReason } from '../../../base/file-errors.ts';
import { boh } from '../../../base/hint.ts';
import {
  checkFile,
  refuseChangedFile,
  refuseSpecialFile,
  readFailure as unreadableFile,
} from '../../tables/check-file.ts';

export interface ManifestFile {
  /** The path from the command line, or a path below a folder from the command line. */
  file: string;
  format: 'text' | 'table';
  /** The resource that the file is named after; always defined for a table. */
  resource: Resource | undefined;
  /** The text of a manifest; empty for a table, which is read separately. */
  text: string;
}

/** A path of the command line with its files. Within one path a record may be declared once. */
export interface Layer {
  path: string;
  files: ManifestFile[];
}

const textExtensions = new Set(['.yaml', '.yml', '.json']);
const tableExtensions = new Set(['.csv', '.tsv', '.ndjson', '.jsonl', '.xlsx']);

/** Finds and reads the files. Throws `usage` for a path that can't be read, and if no path contains a manifest. */
export async function findFiles(
  paths: readonly string[],
  api: Api,
  stdin: NodeJS.ReadableStream,
): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const path of paths) {
    if (path === '-') {
      layers.push({
        path,
        files: [{ file: '-', format: 'text', resource: undefined, text: await readInput(stdin) }],
      });
      continue;
    }
    if (path === '')
      throw usage('A path is empty.', {
        hint: 'Check whether a variable in the command is unset. Nothing was sent.',
      });
    const stats = await stat(path).catch((cause) => {
      throw pathFailure(path, cause);
    });
    const names = stats.isDirectory() ? await listManifests(path, new Set()) : [path];
    const files: ManifestFile[] = [];
    for (const name of names) files.push(...(await openManifest(name, api, !stats.isDirectory())));
    layers.push({ path, files });
  }
  if (layers.every(({ files }) => files.length === 0)) {
    throw usage(`No manifests found in ${paths.join(', ')}.`, {
      hint: `Manifests end in ${[...textExtensions].join(', ')}; tables have the name of a resource, such as inventory-items.csv.`,
    });
  }
  return layers;
}

/**
 * Returns the manifests below a folder, without hidden files. A link to a folder is followed, and each folder is
 * read once: `visitedFolders` contains the real paths of the folders that were read.
 */
async function listManifests(folder: string, visitedFolders: Set<string>): Promise<string[]> {
  const realFolder = await realpath(folder).catch((cause) => {
    throw pathFailure(folder, cause);
  });
  if (visitedFolders.has(realFolder)) return [];
  visitedFolders.add(realFolder);
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw pathFailure(folder, cause);
  });
  const visibleEntries = entries.filter(({ name }) => !name.startsWith('.'));
  visibleEntries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const names: string[] = [];
  for (const entry of visibleEntries) {
    const path = join(folder, entry.name);
    if (await isFolder(entry, path)) names.push(...(await listManifests(path, visitedFolders)));
    else if (isManifest(entry.name)) {
      refuseSpecialFile(path);
      names.push(path);
    }
  }
  return names;
}

/**
 * Returns whether the entry is a folder. A broken link isn't a folder, and is reported later if it has the name of a
 * manifest.
 */
async function isFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function isManifest(name: string): boolean {
  const extension = extname(name).toLowerCase();
  return textExtensions.has(extension) || tableExtensions.has(extension);
}

async function openManifest(file: string, api: Api, isExplicit: boolean): Promise<ManifestFile[]> {
  const extension = extname(file).toLowerCase();
  const resource = api.findResource(basename(file, extname(file)).toLowerCase());
  if (tableExtensions.has(extension)) {
    if (resource) return [{ file, format: 'table', resource, text: '' }];
    throw usage(`${file} is a table, but its name isn't the name of a resource.`, {
      hint: boh.hint`Rename it, for example to inventory-items.csv. To list all resources: ${boh.plain('resources')}`,
    });
  }
  if (isExplicit && !textExtensions.has(extension) && extension !== '') {
    throw usage(`${file} isn't a manifest: its name ends in ${extension}.`, {
      hint: `Manifests end in ${[...textExtensions, ...tableExtensions].join(', ')}.`,
    });
  }
  return [{ file, format: 'text', resource, text: await readTextFile(file) }];
}

/** Returns the failure for a path that may be a file or a folder. */
function pathFailure(path: string, cause: unknown): unknown {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const reason = isMissing ? 'no such file or folder' : readErrorReason(cause);
  return reason === undefined ? cause : usage(`Can't read ${path}: ${reason}.`, { cause });
}

/** Reads a file. Throws `usage` if it can't be read, isn't text, or changes during the read. */
async function readTextFile(file: string): Promise<string> {
  const checkedFile = await checkFile(file, file);
  const bytes = await readBytes(createReadStream(file, { highWaterMark: 1024 * 1024 }), file);
  if (!checkedFile.isReadOnce) await refuseChangedFile(checkedFile);
  return decodeTextFile(bytes, file);
}

/** Reads standard input. Throws `usage` if it can't be read or isn't text. */
async function readInput(stdin: NodeJS.ReadableStream): Promise<string> {
  const label = 'Standard input';
  return decodeTextFile(await readBytes(stdin, label), label);
}

async function readBytes(stream: NodeJS.ReadableStream, label: string): Promise<Buffer> {
  try {
    return await readBoundedStream(stream);
  } catch (cause) {
    if (!isTooLarge(cause)) throw unreadableFile(label, cause);
    throw usage(`${label} is too large for a manifest: ${describeReadError(cause)}.`, {
      hint: 'Split it into several files, and use the path of their folder.',
    });
  }
}
