/** Loads the chunks of a single executable, which are assets with their compiled code. */
const { getRawAsset } = require('node:sea');
const { chunkLoader, wrap } = require('../../bin/chunk-loader.js');

function readAsset(name) {
  const code = Buffer.from(getRawAsset(name));
  return {
    source: wrap(code.length, (bytes, offset) => code.copy(bytes, offset)),
    file: `boh/${name}`,
    compiled: compiledAsset(`${name}.compiled`),
  };
}

/** Returns compiled code. Returns undefined in an executable that was built on another platform. */
function compiledAsset(name) {
  try {
    return Buffer.from(getRawAsset(name));
  } catch {
    return undefined;
  }
}

module.exports = { load: chunkLoader(readAsset).load };
