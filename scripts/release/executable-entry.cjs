/**
 * Where a single executable begins. The chunks of the release are in it as assets, each with the code that V8 made of it;
 * they are loaded one by one, as from dist/.
 */
const vm = require('node:vm');

/** `read` gives a chunk’s source, and its compiled code where there is some, by its path in dist/. */
function chunkLoader(read) {
  const loaded = new Map();
  return { load, scripts: () => [...loaded].map(([name, { script }]) => ({ name, script })) };

  function load(name) {
    const known = loaded.get(name);
    if (known) return known.module.exports;
    const script = scriptOf(name, read(name));
    const module = { exports: {} };
    loaded.set(name, { module, script });
    const from = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : '';
    const requireFrom = (wanted) => (wanted.startsWith('.') ? load(placeOf(from, wanted)) : require(wanted));
    script.runInThisContext().call(module.exports, module.exports, requireFrom, module);
    return module.exports;
  }
}

function scriptOf(name, { source, compiled }) {
  const wrapped = `(function (exports, require, module) { ${source}\n})`;
  return new vm.Script(wrapped, { filename: `boh/${name}`, cachedData: compiled });
}

function placeOf(from, wanted) {
  const parts = from === '' ? [] : from.split('/');
  for (const part of wanted.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Chunks are ASCII: what stands behind a byte is a letter. */
function readAsset(name) {
  const { getRawAsset } = require('node:sea');
  return {
    source: Buffer.from(getRawAsset(name)).latin1Slice(),
    compiled: Buffer.from(getRawAsset(`${name}.compiled`)),
  };
}

// A thread has a line before this file that says so, and begins with another chunk.
if (require('node:sea').isSea() && typeof isThread === 'undefined') {
  const { main, endWith } = chunkLoader(readAsset).load('main.cjs');
  main(process.argv.slice(2)).then((exitCode) => {
    process.exitCode = exitCode;
    endWith(exitCode);
  });
}

module.exports = { chunkLoader, scriptOf };
