/**
 * The manifest of the packed program, in the place of the checkout’s while npm packs: whoever installs boh needs no
 * scripts and none of the libraries that it is built from. `npm pack` calls it before (`put`) and after (`take-back`).
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

const manifest = join(root, 'package.json');
const kept = join(root, '.package.json.kept');

/** What is for those who work on boh. */
const ofTheCheckout = ['scripts', 'devDependencies', 'workspaces', 'allowScripts'];

if (process.argv[2] === 'take-back') takeBack();
else put();

function put(): void {
  // Left over where npm was stopped in between: that one is whole.
  takeBack();
  const text = readFileSync(manifest, 'utf8');
  const entries = Object.entries(JSON.parse(text) as object);
  const packed = Object.fromEntries(entries.filter(([name]) => !ofTheCheckout.includes(name)));
  writeFileSync(kept, text);
  writeFileSync(manifest, `${JSON.stringify(packed, undefined, 2)}\n`);
}

function takeBack(): void {
  if (existsSync(kept)) renameSync(kept, manifest);
}
