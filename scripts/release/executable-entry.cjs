/** The entry point of a single executable. */
const { writeSync } = require('node:fs');
const { version } = require('../../package.json');
const { load } = require('./executable-assets.cjs');

if (!printVersion()) start();

/** Handles `--version` without loading the program, as bin/boh.js does. Returns whether it printed the version. */
function printVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== '--version') return false;
  const text = `boh ${version}\n`;
  try {
    return writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}

function start() {
  const { main, endWith } = load('main.cjs');
  main(process.argv.slice(2)).then((exitCode) => {
    process.exitCode = exitCode;
    endWith(exitCode);
  });
}
