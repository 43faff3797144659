#!/usr/bin/env node
/**
 * The launcher: JavaScript that any Node since 10 can parse. On a Node that is new enough it starts the
 * program; on an older one it hands over to the runtime that a checkout brings along, else says what is needed.
 */
'use strict';

const fs = require('fs');
const path = require('path');

const needed = 'Node.js 22.22.2 or later in 22, or 24.15 and up';
// Put together by hand here and below: a dozen calls of `path.join` and the engine begins to optimize it.
const root = path.dirname(__dirname);
const dist = `${root}/dist`;
const pinnedRuntime = `${root}/node_modules/${runtimeOf(process.platform, process.arch)}`;

if (isNewEnough(process.versions.node)) start();
else if (fs.existsSync(pinnedRuntime)) handOver();
else giveUp(`needs ${needed}; this is ${process.versions.node}. ${whatToDo()}`);

/** The rule of `engines` in package.json; a test holds the two together. */
function isNewEnough(version) {
  const [major, minor, patch] = version.split('.').map(Number);
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 2);
  return major > 24 || (major === 24 && minor >= 15);
}

/** The package that runtime/package.json has for a platform, and the program in it. */
function runtimeOf(platform, arch) {
  const system = platform === 'win32' ? 'win' : platform;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${arch}/bin/${system === 'win' ? 'node.exe' : 'node'}`;
}

/** A checkout brings its own Node, unless it was installed without what is optional; an installed boh has none. */
function whatToDo() {
  const isCheckout = fs.existsSync(`${root}/runtime/package.json`);
  return isCheckout
    ? 'Run npm ci --include=optional, which brings one along, or use a newer Node.'
    : 'Use a newer one: https://nodejs.org/en/download';
}

function start() {
  // Asked by every script that wonders whether boh is there: nothing of the program is needed to answer.
  if (process.argv.length === 3 && process.argv[2] === '--version' && wasTold()) return;
  silenceSqliteWarning();
  if (!fs.existsSync(`${dist}/main.cjs`)) giveUp('is not built yet. Run: npm run build');
  const { load, keep } = require('./chunk-loader.js').folderLoader(dist, compiledFolder());
  const { main, endWith } = load('main.cjs');
  main(process.argv.slice(2)).then((exitCode) => {
    process.exitCode = exitCode;
    // Whoever was told to end, ends.
    if (exitCode < 128) keep();
    if (endWith) endWith(exitCode);
  });
}

/** Whether the version could be written at once, without a stream. Where it couldn’t, the program knows what to say. */
function wasTold() {
  const text = `boh ${require('../package.json').version}\n`;
  try {
    return fs.writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}

/** Node 22 calls its SQLite experimental at every start, which is no news to the person at the terminal. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, type, ...rest) => {
    if (type === 'ExperimentalWarning' && /SQLite/.test(warning)) return;
    emitWarning.call(process, warning, type, ...rest);
  };
}

/**
 * Where code is kept that V8 has compiled once: it starts a third faster. Of this build and this Node alone, since it is
 * run as it stands there. Where it can't be kept, all goes on without.
 */
function compiledFolder() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    const build = fs.readFileSync(`${dist}/build-mark`, 'utf8');
    const cache = cacheFolder();
    // What somebody has unpacked where one happens to stand is ours by its owner, and not by its content.
    const folder = path.isAbsolute(cache) ? ownFolder(`${cache}/boh/compiled`) : undefined;
    return folder && `${folder}/${process.version}-${process.arch}-${build}`;
  } catch {
    // A user without a home, or a build of somebody's own.
    return undefined;
  }
}

/**
 * Whatever stands in the folder is run. So it has to be ours, closed to everyone else, and on a way that nobody else
 * can bend: root, with the HOME of somebody else, goes without.
 */
function ownFolder(folder) {
  if (process.geteuid === undefined) return folder;
  const real = realFolder(folder) || madeFolder(folder);
  if (real === undefined || !isOnlyOurs(real)) return undefined;
  const { uid, mode } = fs.lstatSync(real);
  if (uid !== process.geteuid()) return undefined;
  if ((mode & 0o077) !== 0) {
    // An older boh left it open: nobody knows what has come into it.
    fs.rmSync(real, { recursive: true });
    fs.mkdirSync(real, { mode: 0o700 });
  }
  return real;
}

/** As the system tells it; undefined where there is none. */
function realFolder(folder) {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

/** Nothing is made in a folder that isn’t ours. */
function madeFolder(folder) {
  let existing = folder;
  while (!fs.existsSync(existing)) existing = path.dirname(existing);
  if (!isOnlyOurs(fs.realpathSync(existing))) return undefined;
  makeFolder(folder);
  return realFolder(folder);
}

/** Whether nobody but us and root can put something else in the place of a folder; in /tmp everyone has their own. */
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
  // One that is relative doesn’t count: https://specifications.freedesktop.org/basedir-spec/latest/#variables
  return chosen && path.isAbsolute(chosen) ? chosen : path.join(require('os').homedir(), '.cache');
}

function handOver() {
  const { spawn } = require('child_process');
  const child = spawn(pinnedRuntime, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to the child itself; passing it on would count as a second one.
  process.on('SIGINT', () => require('tty').isatty(0) || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => giveUp(`can’t start its own runtime, ${pinnedRuntime}: ${error.message}`));
  child.on('exit', (exitCode, signal) => {
    if (signal === null) process.exit(exitCode);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** What stands around boh is wrong, as a command line may be: no bug of its own. Scripts know this exit code from src/base/errors.ts. */
function giveUp(reason) {
  process.stderr.write(`boh ${reason}\n`);
  process.exit(2);
}

/** With those above it. Node's own way to do that never ends in a place such as /proc. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (error.code !== 'EEXIST') throw error;
  }
}
