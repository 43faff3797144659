/**
 * Loads the chunks of a release, each with what V8 has made of it before. The cache that Node offers for this has only
 * what is compiled as a file is loaded; the functions that a command then runs take a fifth of its start.
 */
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

/**
 * `read` gives a chunk’s source as `wrapped` makes it, the name of its file and, where there is some, its compiled code,
 * by its path among the chunks. `scripts` are those that have been loaded, by that path.
 */
function chunkLoader(read) {
  const scripts = new Map();
  const modules = new Map();
  return { load, scripts };

  function load(name) {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const chunk = read(name);
    const script = scriptOf(chunk);
    const module = { exports: {} };
    modules.set(name, module);
    scripts.set(name, script);
    const requireFrom = (wanted) => (wanted.startsWith('.') ? load(placeOf(wanted, name)) : require(wanted));
    const begin = script.runInThisContext();
    begin.call(module.exports, module.exports, requireFrom, module, chunk.file);
    return module.exports;
  }
}

/** Chunks stand beside the entries, or in a folder below them. */
function placeOf(wanted, from) {
  if (wanted.startsWith('../')) return wanted.slice('../'.length);
  return from.slice(0, from.lastIndexOf('/') + 1) + wanted.slice('./'.length);
}

const opening = '(function (exports, require, module, __filename) { ';
const closing = '\n})';

/**
 * The source of a chunk as a function of what a module knows. `fill` puts its bytes, which are ASCII, into a buffer from
 * a place on: each further copy of so much is felt at a start.
 */
function wrapped(size, fill) {
  const bytes = Buffer.allocUnsafeSlow(opening.length + size + closing.length);
  bytes.latin1Write(opening);
  fill(bytes, opening.length);
  bytes.latin1Write(closing, opening.length + size);
  return bytes.latin1Slice();
}

function scriptOf({ source, file, compiled }) {
  return new vm.Script(source, { filename: file, cachedData: compiled });
}

function sourceIn(file) {
  const descriptor = fs.openSync(file);
  try {
    const { size } = fs.fstatSync(descriptor);
    return wrapped(size, (bytes, at) => {
      if (fs.readSync(descriptor, bytes, at, size) < size)
        throw new Error(`${file} was cut off while it was read`);
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Chunks in a folder, and what was compiled of them in another one; `keep` is for when a command has run. */
function folderLoader(folder, compiledFolder) {
  const lengths = new Map();
  const { load, scripts } = chunkLoader((name) => {
    const file = `${folder}/${name}`;
    const compiled = intactIn(readIfThere(compiledFile(name)));
    lengths.set(name, compiled === undefined ? 0 : compiled.length);
    return { source: sourceIn(file), file, compiled };
  });
  return { load, keep };

  function compiledFile(name) {
    return compiledFolder && `${compiledFolder}/${name.replace('/', '-')}`;
  }

  /** Where a chunk is new, more may have been run of the others, too; where none is, it is looked at now and then. */
  function keep() {
    const isKnown = ({ cachedDataRejected }) => cachedDataRejected === false;
    const isDue = process.pid % looksEvery === 0 || ![...scripts.values()].every(isKnown);
    if (compiledFolder === undefined || !isDue) return;
    try {
      if (!fs.existsSync(compiledFolder)) makeRoom(compiledFolder);
      for (const [name, script] of scripts) {
        const compiled = script.createCachedData();
        const isBetter = !isKnown(script) || compiled.length > lengths.get(name) * worthMore;
        if (isBetter) replaceFile(compiledFile(name), Buffer.concat([compiled, compiled]));
      }
    } catch {
      // A full disk.
    }
  }
}

/** In so many processes one looks whether commands have run more of what is known, and keeps it from so much more on. */
const looksEvery = 8;
const worthMore = 1.02;

/** In milliseconds: of a build that nothing was added to for so long there will hardly be another run. */
const longestKept = 30 * 86400 * 1000;

function makeRoom(folder) {
  const all = path.dirname(folder);
  for (const name of fs.readdirSync(all)) {
    const other = path.join(all, name);
    if (Date.now() - fs.statSync(other).mtimeMs > longestKept) fs.rmSync(other, { recursive: true });
  }
  fs.mkdirSync(folder, { mode: 0o700 });
}

function readIfThere(file) {
  try {
    return file && fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * V8 runs compiled code without a look at it, and a changed byte crashes the process. A file holds the code twice, and is
 * ignored where the halves differ: comparing them takes a fiftieth of what loading a module with a checksum does.
 */
function intactIn(content) {
  if (content === undefined) return undefined;
  const half = content.length / 2;
  if (half < 1 || !Number.isInteger(half)) return undefined;
  const first = content.subarray(0, half);
  return first.equals(content.subarray(half)) ? first : undefined;
}

/** Whole or not at all, also where the power fails. */
function replaceFile(file, content) {
  const next = `${file}.${process.pid}`;
  try {
    const descriptor = fs.openSync(next, 'wx', 0o600);
    try {
      // Not `writeSync`, which leaves off in the middle where a disk is just about full.
      fs.writeFileSync(descriptor, content);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(next, file);
  } catch (error) {
    fs.rmSync(next, { force: true });
    throw error;
  }
}

module.exports = { chunkLoader, wrapped, scriptOf, folderLoader };
