/**
 * Generates docs/reference/, man/, the list of man pages in package.json, and the picture of the architecture. Deletes
 * pages that are no longer generated. With --check, writes nothing and exits with 1 if a page is out of date.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownPage } from '../src/api/reference/markdown.ts';
import { manPage } from '../src/api/reference/roff.ts';
import { version } from '../src/base/version.ts';
import { modules } from './checks/parts.ts';
import { architecturePicture } from './checks/picture.ts';
import { documentPages, manualPages } from './reference/pages.ts';
import { root } from './root.ts';

const files = new Map<string, string>();
for (const page of await documentPages()) {
  files.set(`docs/reference/${page.name}.md`, markdownPage(page));
}
for (const page of await manualPages()) {
  files.set(`man/${page.name}.1`, manPage(page, { source: `boh ${version}` }));
}

files.set('docs/architecture.svg', architecturePicture(modules));

// npm only links the man pages of this list.
const manifest: Record<string, unknown> = JSON.parse(read('package.json'));
const man = [...files.keys()].filter((file) => file.startsWith('man/'));
files.set('package.json', `${JSON.stringify({ ...manifest, man }, undefined, 2)}\n`);

const folders = ['docs/reference', 'docs/reference/rules', 'man'];
for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
const namesIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? entry.name : [],
  );
const pages = folders.flatMap((folder) => namesIn(folder).map((name) => `${folder}/${name}`));
// These folders also contain pages that are written by hand.
const isGenerated = (file: string) => file.startsWith('man/') || read(file).startsWith('<!-- Generated from');
const obsoletePages = pages.filter((file) => !files.has(file) && isGenerated(file));
const stalePages = [...files].filter(([file, text]) => !existsSync(join(root, file)) || read(file) !== text);

if (process.argv.includes('--check')) {
  for (const file of [...stalePages.map(([name]) => name), ...obsoletePages])
    process.stdout.write(`${file} is out of date.\n`);
  if (stalePages.length + obsoletePages.length > 0) process.stdout.write('Run: npm run reference\n');
  process.exitCode = stalePages.length + obsoletePages.length === 0 ? 0 : 1;
} else {
  for (const [file, text] of stalePages) writeFileSync(join(root, file), text);
  for (const file of obsoletePages) rmSync(join(root, file));
  process.stdout.write(
    `${files.size} pages, ${stalePages.length} written, ${obsoletePages.length} removed\n`,
  );
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
