#!/usr/bin/env node
/**
 * Starts the program. This launcher is JavaScript that every Node since 10 can parse. On an unsupported Node, it runs
 * the program with the runtime of the checkout, or reports which version is required.
 */
'use strict';

const fs = require('fs');
const path = require('path');

const requiredVersions = 'Node.js 22.22.2 or later in 22, or 24.15 or later';
// Concatenates paths, because the engine would start to optimize `path.join` after a dozen calls.
const root = path.dirname(__dirname);
const dist = `${root}/dist`;
const pinnedRuntime = `${root}/node_modules/${runtimePath(process.platform, process.arch)}`;

if (isNewEnough(process.versions.node)) start();
else if (fs.existsSync(pinnedRuntime)) runWithPinnedRuntime();
else exitWithError(`needs ${requiredVersions}; this is ${process.versions.node}. ${installAdvice()}`);

/** Returns whether a version satisfies `engines` in package.json; a test compares the two. */
function isNewEnough(version) {
  const [major, minor, patch] = version.split('.').map(Number);
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 2);
  return major > 24 || (major === 24 && minor >= 15);
}

/** Returns the path of Node in the package that runtime/package.json has for a platform. */
function runtimePath(platform, arch) {
  const system = platform === 'win32' ? 'win' : platform;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${arch}/bin/${system === 'win' ? 'node.exe' : 'node'}`;
}

/** Returns how to get a supported Node. A checkout contains one, unless optional packages were omitted. */
function installAdvice() {
  const isCheckout = fs.existsSync(`${root}/runtime/package.json`);
  return isCheckout
    ? 'Run npm ci --include=optional to install one, or use a newer Node.'
    : 'Install a newer version: https://nodejs.org/en/download';
}

function start() {
  // Scripts run this to check whether boh is installed. It doesn't need the rest of the program.
  if (process.argv.length === 3 && process.argv[2] === '--version' && printVersion()) return;
  silenceSqliteWarning();
  if (!fs.existsSync(`${dist}/main.cjs`)) exitWithError('is not built yet. Run: npm run build');
  const { load, storeCompiledCode } = require('./chunk-loader.js').folderLoader(dist, compiledCodeFolder());
  const { main, endWith } = load('main.cjs');
  main(process.argv.slice(2)).then((exitCode) => {
    process.exitCode = exitCode;
    // After a signal, the process must exit immediately.
    if (exitCode < 128) storeCompiledCode();
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
  process.emitWarning = (warning, type, ...args) => {
    if (type === 'ExperimentalWarning' && /SQLite/.test(warning)) return;
    emitWarning.call(process, warning, type, ...args);
  };
}

/**
 * Returns the folder for code that V8 has compiled, which makes a start a third faster. The folder is only for this
 * build and this Node, because the code runs unverified. Returns undefined if nothing can be stored: boh then compiles
 * its code at each start.
 */
function compiledCodeFolder() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    const build = fs.readFileSync(`${dist}/build-mark`, 'utf8');
    const cache = cacheFolder();
    // Ignores a relative path: this user owns files that were unpacked in the working directory, but didn't write them.
    const folder = path.isAbsolute(cache) ? ownFolder(`${cache}/boh/compiled`) : undefined;
    return folder && `${folder}/${process.version}-${process.arch}-${build}`;
  } catch {
    // The user has no home folder, or dist/build-mark is missing.
    return undefined;
  }
}

/**
 * Returns the real path of a folder if only this user can change it. The files in it are executed, so this user must own
 * it, no one else may write to it, and no one else may replace a part of its path. Root with the HOME of
 * another user gets no folder.
 */
function ownFolder(folder) {
  if (process.geteuid === undefined) return folder;
  const realPath = realFolder(folder) || createOwnFolder(folder);
  if (realPath === undefined || !isOnlyChangedByUser(realPath)) return undefined;
  const { uid, mode } = fs.lstatSync(realPath);
  return uid === process.geteuid() && (mode & 0o022) === 0 ? realPath : undefined;
}

/** Returns the path without symbolic links, or undefined if the folder doesn't exist. */
function realFolder(folder) {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

/** Creates a folder and returns its real path. Returns undefined if others could change its parent folder. */
function createOwnFolder(folder) {
  let existing = folder;
  while (!fs.existsSync(existing)) existing = path.dirname(existing);
  if (!isOnlyChangedByUser(fs.realpathSync(existing))) return undefined;
  createFolder(folder);
  return realFolder(folder);
}

/** Returns whether only this user and root can replace a folder. In /tmp, users can only replace their own files. */
function isOnlyChangedByUser(folder) {
  const { uid, mode } = fs.lstatSync(folder);
  const isClosed = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
  if (!isClosed || (uid !== 0 && uid !== process.geteuid())) return false;
  const parent = path.dirname(folder);
  return parent === folder || isOnlyChangedByUser(parent);
}

function cacheFolder() {
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA;
  if (process.platform === 'darwin') return path.join(require('os').homedir(), 'Library', 'Caches');
  const xdgFolder = process.env.XDG_CACHE_HOME;
  // A relative path is ignored: https://specifications.freedesktop.org/basedir-spec/latest/#variables
  return xdgFolder && path.isAbsolute(xdgFolder) ? xdgFolder : path.join(require('os').homedir(), '.cache');
}

function runWithPinnedRuntime() {
  const { spawn } = require('child_process');
  const child = spawn(pinnedRuntime, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal also sends Ctrl-C to the child, for which a forwarded SIGINT would be a second Ctrl-C.
  process.on('SIGINT', () => require('tty').isatty(0) || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) =>
    exitWithError(`can't start its own runtime, ${pinnedRuntime}: ${error.message}`),
  );
  child.on('exit', (exitCode, signal) => {
    if (signal === null) process.exit(exitCode);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Reports a problem of the installation, and exits with the code of usage failures (src/base/errors.ts). */
function exitWithError(reason) {
  process.stderr.write(`boh ${reason}\n`);
  process.exit(2);
}

/** Creates a folder and its missing parents. Node's recursive `mkdir` never ends in a folder such as /proc. */
function createFolder(folder) {
  if (fs.existsSync(folder)) return;
  createFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if (error.code !== 'EEXIST') throw error;
  }
}
