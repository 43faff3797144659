/** `boh version`, and `boh man`: prints a man page, or writes all of them to a folder, for installations without a package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { usage } from '../../base/errors.ts';
import { replaceFile, writeFailure } from '../../base/replace-file.ts';
import { didYouMean } from '../../base/suggest.ts';
import { version } from '../../base/version.ts';
import type { Context } from '../context/context.ts';
import type { Result } from '../output/result.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';

/** Returns the folder of the pages. A chunk of the build is nearer to it than this file. */
function manFolder(): URL {
  const fromChunk = new URL('../../man/', import.meta.url);
  return existsSync(fromChunk) ? fromChunk : new URL('../../../man/', import.meta.url);
}

/** The prefix of page names in the assets of a single executable (scripts/release/artifacts/executable.ts). */
const assetPrefix = 'man/';

export function manCommand(context: Context): Command {
  return createCommand(context, {
    name: 'man',
    about: 'Print a man page, or write all man pages to a folder.',
    args: [['[page]', 'for example suppliers or mirror (default: boh)']],
    flags: [['--to <folder>', 'write all pages to this folder']],
    examples: ['boh man suppliers | man -l -', 'boh man --to ~/.local/share/man/man1'],
    run: async ([page], { to }) => (to === undefined ? printPage(page) : writePages(to, page)),
  });
}

export function versionCommand(context: Context): Command {
  return createCommand(context, {
    name: 'version',
    about: 'Show the versions of boh, Node and SQLite, and the platform, for bug reports.',
    run: () => {
      const { platform, arch, versions } = process;
      const data = { boh: version, node: versions.node, platform, arch, sqlite: versions.sqlite ?? null };
      const lines = Object.entries(data).map(([name, value]) => `${name} ${value ?? '-'}`);
      return { kind: 'data', data, isForPeople: true, text: lines.join('\n') };
    },
  });
}

function printPage(page: string | undefined): Result {
  const names = manFileNames();
  const name = page === undefined ? 'boh.1' : `boh-${page.replace(/^boh-/, '')}.1`;
  if (names.includes(name)) return { kind: 'text', text: readManPage(name) };
  const pages = names.map((fileName) => fileName.replace(/^boh-(.*)\.1$/, '$1'));
  throw usage(`Unknown man page "${page}".${didYouMean(page ?? '', pages)}`);
}

async function writePages(folder: string, page: string | undefined): Promise<Result> {
  if (page !== undefined) throw usage('--to writes all pages: omit the name of the page.');
  const names = manFileNames();
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw writeFailure(folder, error);
  });
  for (const name of names) await replaceFile(join(folder, name), readManPage(name));
  return { kind: 'text', text: `${names.length} man pages written to ${folder}.\n` };
}

/** Returns the file names of all pages, such as `boh-suppliers.1`. */
function manFileNames(): string[] {
  if (!isSea()) return readdirSync(manFolder()).sort();
  return getAssetKeys()
    .filter((key) => key.startsWith(assetPrefix))
    .map((key) => key.slice(assetPrefix.length))
    .sort();
}

/** Returns the text of a page, for `man`. */
function readManPage(name: string): string {
  return isSea()
    ? getAsset(`${assetPrefix}${name}`, 'utf8')
    : readFileSync(new URL(name, manFolder()), 'utf8');
}
