#!/usr/bin/env node
/**
 * The launcher: JavaScript that any Node since 10 can parse. On a Node that is new enough it starts the
 * program; on an older one it hands over to the runtime that a checkout brings along, else says what is needed.
 */
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');

const program = path.join(__dirname, '..', 'dist', 'main.js');
const pinnedRuntime = path.join(__dirname, '..', 'node_modules', 'node', 'bin', 'node');

if (isNewEnough(process.versions.node)) start();
else if (fs.existsSync(pinnedRuntime)) handOver();
else giveUp(`needs Node.js 22.22.2 or later in 22, or 24.15 and up; this is ${process.versions.node}.`);

/** The rule of `engines` in package.json; a test holds the two together. */
function isNewEnough(version) {
  const [major, minor, patch] = version.split('.').map(Number);
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 2);
  return major > 24 || (major === 24 && minor >= 15);
}

function start() {
  silenceSqliteWarning();
  keepCompiledCode();
  import(require('url').pathToFileURL(program).href)
    .then((module) => module.main(process.argv.slice(2)))
    .then((exitCode) => {
      process.exitCode = exitCode;
    })
    .catch((error) => {
      if (!fs.existsSync(program)) giveUp('is not built yet. Run: npm run build');
      throw error;
    });
}

/** Node 22 calls its SQLite experimental at every start, which is no news to the person at the terminal. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, type, ...rest) => {
    if (type === 'ExperimentalWarning' && /SQLite/.test(warning)) return;
    emitWarning.call(process, warning, type, ...rest);
  };
}

/** Code that V8 has compiled once starts a tenth faster; where it can't be kept, all goes on without. */
function keepCompiledCode() {
  try {
    require('module').enableCompileCache(path.join(cacheFolder(), 'boh', 'compiled'));
  } catch {
    // A user without a home.
  }
}

function cacheFolder() {
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA;
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Caches');
  return process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
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

function giveUp(reason) {
  process.stderr.write(`boh ${reason}\n`);
  process.exit(1);
}
