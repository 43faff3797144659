/**
 * Loads the chunks of a release with the code that V8 has compiled before. Node's own compile cache contains only what
 * is compiled while a file is loaded; compiling the functions that a command runs later takes a fifth of its start.
 */
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

/**
 * Returns a loader of chunks. `read` returns a chunk by its path among the chunks: its source as `wrapped` returns it,
 * the name of its file and, if available, its compiled code. `scripts` are the loaded chunks by path.
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

/** Returns the path of a chunk that another one requires: chunks are beside the entries, or in a folder below them. */
function placeOf(wanted, from) {
  if (wanted.startsWith('../')) return wanted.slice('../'.length);
  return from.slice(0, from.lastIndexOf('/') + 1) + wanted.slice('./'.length);
}

const opening = '(function (exports, require, module, __filename) { ';
const closing = '\n})';

/**
 * Returns the source of a chunk as a function with the parameters of a module. `fill` writes its bytes, which are ASCII,
 * to a buffer at an offset: one more copy of this size would slow down the start.
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

/** Returns a loader of chunks in one folder with compiled code in another. Call `keep` after a command has run. */
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

  /** Stores compiled code if a chunk is new, as others may have run more functions too; otherwise in 1 of 8 processes. */
  function keep() {
    const isKnown = ({ cachedDataRejected }) => cachedDataRejected === false;
    const isDue = process.pid % processesPerCheck === 0 || ![...scripts.values()].every(isKnown);
    if (compiledFolder === undefined || !isDue) return;
    try {
      if (!fs.existsSync(compiledFolder)) makeRoom(compiledFolder);
      for (const [name, script] of scripts) {
        const compiled = script.createCachedData();
        const isBetter = !isKnown(script) || compiled.length > lengths.get(name) * minGrowth;
        if (isBetter) replaceFile(compiledFile(name), Buffer.concat([compiled, compiled]));
      }
    } catch {
      // The disk is full, for example.
    }
  }
}

/** One in this many processes checks whether commands have compiled more functions of known chunks. */
const processesPerCheck = 8;
/** Compiled code is stored again if it has grown by this factor. */
const minGrowth = 1.02;

/** A build whose compiled code hasn't changed for this long is probably no longer used. */
const maxUnchangedMs = 30 * 86400 * 1000;

function makeRoom(folder) {
  const all = path.dirname(folder);
  for (const name of fs.readdirSync(all)) {
    const other = path.join(all, name);
    if (Date.now() - fs.statSync(other).mtimeMs > maxUnchangedMs) fs.rmSync(other, { recursive: true });
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
 * Returns the compiled code of a file if it is intact. V8 doesn't verify compiled code, and a changed byte crashes the
 * process. A file contains the code twice and is ignored if the halves differ: comparing them takes a fiftieth of the
 * time that loading a module with a checksum takes.
 */
function intactIn(content) {
  if (content === undefined) return undefined;
  const half = content.length / 2;
  if (half < 1 || !Number.isInteger(half)) return undefined;
  const first = content.subarray(0, half);
  return first.equals(content.subarray(half)) ? first : undefined;
}

/** Replaces a file completely or not at all, also if the power fails. */
function replaceFile(file, content) {
  const next = `${file}.${process.pid}`;
  try {
    const descriptor = fs.openSync(next, 'wx', 0o600);
    try {
      // Not `writeSync`, which may write only a part when the disk becomes full.
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
