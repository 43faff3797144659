#!/usr/bin/env node
/**
 * The launcher: JavaScript that every Node since 10 can parse. If Node is new enough, it starts the program. On an older
 * Node it runs the program with the runtime of the checkout, or reports which version is needed.
 */
'use strict';

const fs = require('fs');
const path = require('path');

const needed = 'Node.js 22.22.2 or later in 22, or 24.15 and up';
// Paths are concatenated here and below: after a dozen calls of `path.join` the engine begins to optimize it.
const root = path.dirname(__dirname);
const dist = `${root}/dist`;
const pinnedRuntime = `${root}/node_modules/${runtimeOf(process.platform, process.arch)}`;

if (isNewEnough(process.versions.node)) start();
else if (fs.existsSync(pinnedRuntime)) handOver();
else giveUp(`needs ${needed}; this is ${process.versions.node}. ${whatToDo()}`);

/** Returns whether a version satisfies `engines` in package.json; a test compares the two. */
function isNewEnough(version) {
  const [major, minor, patch] = version.split('.').map(Number);
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 2);
  return major > 24 || (major === 24 && minor >= 15);
}

/** Returns the path of Node in the package that runtime/package.json has for a platform. */
function runtimeOf(platform, arch) {
  const system = platform === 'win32' ? 'win' : platform;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${arch}/bin/${system === 'win' ? 'node.exe' : 'node'}`;
}

/** Returns how to get a newer Node. A checkout has its own, unless optional packages were omitted; an installed boh has none. */
function whatToDo() {
  const isCheckout = fs.existsSync(`${root}/runtime/package.json`);
  return isCheckout
    ? 'Run npm ci --include=optional to install one, or use a newer Node.'
    : 'Install a newer version: https://nodejs.org/en/download';
}

function start() {
  // Scripts run this to check whether boh is installed. The answer doesn't need the rest of the program.
  if (process.argv.length === 3 && process.argv[2] === '--version' && printVersion()) return;
  silenceSqliteWarning();
  if (!fs.existsSync(`${dist}/main.cjs`)) giveUp('is not built yet. Run: npm run build');
  const { load, keep } = require('./chunk-loader.js').folderLoader(dist, compiledFolder());
  const { main, endWith } = load('main.cjs');
  main(process.argv.slice(2)).then((exitCode) => {
    process.exitCode = exitCode;
    // A run that a signal ended must exit at once.
    if (exitCode < 128) keep();
    if (endWith) endWith(exitCode);
  });
}

/** Prints the version without a stream. Returns false if it couldn't be written; then the program reports the failure. */
function printVersion() {
  const text = `boh ${require('../package.json').version}\n`;
  try {
    return fs.writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}

/** Hides the warning of Node 22 that SQLite is experimental, which users can't act on. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, type, ...rest) => {
    if (type === 'ExperimentalWarning' && /SQLite/.test(warning)) return;
    emitWarning.call(process, warning, type, ...rest);
  };
}

/**
 * Returns the folder for code that V8 has compiled, which makes a start a third faster. The folder is only for this
 * build and this Node, because the code runs unverified. Undefined if nothing can be stored; then boh runs without it.
 */
function compiledFolder() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    const build = fs.readFileSync(`${dist}/build-mark`, 'utf8');
    const cache = cacheFolder();
    // A relative path is ignored: files that were unpacked in the working directory are owned by us, but not written by us.
    const folder = path.isAbsolute(cache) ? ownFolder(`${cache}/boh/compiled`) : undefined;
    return folder && `${folder}/${process.version}-${process.arch}-${build}`;
  } catch {
    // The user has no home, or the build has no mark.
    return undefined;
  }
}

/**
 * Returns the real path of a folder if only this user can change it. The files in it are executed, so this user must own
 * it, no one else may write to it, and no one else may replace a part of its path. Root with another user's HOME uses
 * no such folder.
 */
function ownFolder(folder) {
  if (process.geteuid === undefined) return folder;
  const real = realFolder(folder) || madeFolder(folder);
  if (real === undefined || !isOnlyOurs(real)) return undefined;
  const { uid, mode } = fs.lstatSync(real);
  if (uid !== process.geteuid()) return undefined;
  if ((mode & 0o077) !== 0) {
    // An older boh left it accessible to others, who may have changed its files.
    fs.rmSync(real, { recursive: true });
    fs.mkdirSync(real, { mode: 0o700 });
  }
  return real;
}

/** Returns the path without links; undefined if the folder doesn't exist. */
function realFolder(folder) {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

/** Makes a folder and returns its real path; undefined if others could change the folder that it would be in. */
function madeFolder(folder) {
  let existing = folder;
  while (!fs.existsSync(existing)) existing = path.dirname(existing);
  if (!isOnlyOurs(fs.realpathSync(existing))) return undefined;
  makeFolder(folder);
  return realFolder(folder);
}

/** Returns whether only this user and root can replace a folder. In /tmp users can replace only their own files. */
function isOnlyOurs(folder) {
  const { uid, mode } = fs.lstatSync(folder);
  const isClosed = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
  if (!isClosed || (uid !== 0 && uid !== process.geteuid())) return false;
  const parent = path.dirname(folder);
  return parent === folder || isOnlyOurs(parent);
}

function cacheFolder() {
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA;
  if (process.platform === 'darwin') return path.join(require('os').homedir(), 'Library', 'Caches');
  const chosen = process.env.XDG_CACHE_HOME;
  // A relative path is ignored: https://specifications.freedesktop.org/basedir-spec/latest/#variables
  return chosen && path.isAbsolute(chosen) ? chosen : path.join(require('os').homedir(), '.cache');
}

function handOver() {
  const { spawn } = require('child_process');
  const child = spawn(pinnedRuntime, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to the child too; passing it on would count as a second one.
  process.on('SIGINT', () => require('tty').isatty(0) || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => giveUp(`can't start its own runtime, ${pinnedRuntime}: ${error.message}`));
  child.on('exit', (exitCode, signal) => {
    if (signal === null) process.exit(exitCode);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Reports a problem of the installation and exits like a usage failure (src/base/errors.ts), as it isn't a bug. */
function giveUp(reason) {
  process.stderr.write(`boh ${reason}\n`);
  process.exit(2);
}

/** Makes a folder and the missing folders above it. Node's recursive `mkdir` never ends in a folder such as /proc. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process made it first.
    if (error.code !== 'EEXIST') throw error;
  }
}
