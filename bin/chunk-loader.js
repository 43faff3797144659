/**
 * Loads the chunks of a release with the code that V8 has compiled before. Node's own compile cache contains only what
 * is compiled while a file is loaded; compiling the functions that a command runs later takes a fifth of its start.
 */
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

/**
 * Returns a loader of chunks. `read` returns a chunk by its path among the chunks: its source as `wrap` returns it,
 * the name of its file and, if available, its compiled code. `scripts` are the loaded chunks by path.
 */
function chunkLoader(read) {
  const scripts = new Map();
  const modules = new Map();
  return { load, scripts };

  function load(name) {
    const loadedModule = modules.get(name);
    if (loadedModule !== undefined) return loadedModule.exports;
    const chunk = read(name);
    const script = scriptOf(chunk);
    const module = { exports: {} };
    modules.set(name, module);
    scripts.set(name, script);
    const requireFrom = (request) =>
      request.startsWith('.') ? load(resolvePath(request, name)) : require(request);
    const begin = script.runInThisContext();
    begin.call(module.exports, module.exports, requireFrom, module, chunk.file);
    return module.exports;
  }
}

/** Returns the path of a chunk that another one requires: chunks are beside the entries, or in a folder below them. */
function resolvePath(request, from) {
  if (request.startsWith('../')) return request.slice('../'.length);
  return from.slice(0, from.lastIndexOf('/') + 1) + request.slice('./'.length);
}

const opening = '(function (exports, require, module, __filename) { ';
const closing = '\n})';

/**
 * Returns the source of a chunk as a function with the parameters of a module. `fill` writes its bytes, which are ASCII,
 * to a buffer at an offset: one more copy of this size would slow down the start.
 */
function wrap(size, fill) {
  const bytes = Buffer.allocUnsafeSlow(opening.length + size + closing.length);
  bytes.latin1Write(opening);
  fill(bytes, opening.length);
  bytes.latin1Write(closing, opening.length + size);
  return bytes.latin1Slice();
}

function scriptOf({ source, file, compiled }) {
  return new vm.Script(source, { filename: file, cachedData: compiled });
}

function readSource(file) {
  const descriptor = fs.openSync(file);
  try {
    const { size } = fs.fstatSync(descriptor);
    return wrap(size, (bytes, offset) => {
      if (fs.readSync(descriptor, bytes, offset, size) < size)
        throw new Error(`${file} was cut off while it was read`);
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Returns a loader of chunks in one folder with compiled code in another. Call `storeCompiledCode` after a command. */
function folderLoader(folder, compiledFolder) {
  const lengths = new Map();
  const { load, scripts } = chunkLoader((name) => {
    const file = `${folder}/${name}`;
    const compiled = extractIntactCode(readIfExists(compiledFile(name)));
    lengths.set(name, compiled === undefined ? 0 : compiled.length);
    return { source: readSource(file), file, compiled };
  });
  return { load, storeCompiledCode };

  function compiledFile(name) {
    return compiledFolder && `${compiledFolder}/${name.replace('/', '-')}`;
  }

  /** Stores the compiled code if a chunk has none, otherwise in one of eight processes, which may have run more functions. */
  function storeCompiledCode() {
    const isAccepted = ({ cachedDataRejected }) => cachedDataRejected === false;
    const isDue = process.pid % processesPerCheck === 0 || ![...scripts.values()].every(isAccepted);
    if (compiledFolder === undefined || !isDue) return;
    try {
      if (!fs.existsSync(compiledFolder)) createFolder(compiledFolder);
      for (const [name, script] of scripts) {
        const compiled = script.createCachedData();
        const isBetter = !isAccepted(script) || compiled.length > lengths.get(name) * minGrowth;
        if (isBetter) replaceFile(compiledFile(name), Buffer.concat([compiled, compiled]));
      }
    } catch {
      // Compiled code is optional: the disk may be full, for example.
    }
  }
}

/** One of this number of processes checks whether its command has compiled more functions of stored chunks. */
const processesPerCheck = 8;
/** The factor of growth from which compiled code is stored again. */
const minGrowth = 1.02;

/** The age of unchanged compiled code at which its build is probably no longer used. */
const maxUnchangedMs = 30 * 86400 * 1000;

function createFolder(folder) {
  const parentFolder = path.dirname(folder);
  for (const name of fs.readdirSync(parentFolder)) {
    const siblingFolder = path.join(parentFolder, name);
    if (Date.now() - fs.statSync(siblingFolder).mtimeMs > maxUnchangedMs)
      fs.rmSync(siblingFolder, { recursive: true });
  }
  fs.mkdirSync(folder, { mode: 0o700 });
}

function readIfExists(file) {
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
function extractIntactCode(content) {
  if (content === undefined) return undefined;
  const half = content.length / 2;
  if (half < 1 || !Number.isInteger(half)) return undefined;
  const first = content.subarray(0, half);
  return first.equals(content.subarray(half)) ? first : undefined;
}

/** Replaces a file completely or not at all, even at a power failure. */
function replaceFile(file, content) {
  const temporaryFile = `${file}.${process.pid}`;
  try {
    const descriptor = fs.openSync(temporaryFile, 'wx', 0o600);
    try {
      // Doesn't use `writeSync`, which may write only a part on a full disk.
      fs.writeFileSync(descriptor, content);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporaryFile, file);
  } catch (error) {
    fs.rmSync(temporaryFile, { force: true });
    throw error;
  }
}

module.exports = { chunkLoader, wrap, scriptOf, folderLoader };
