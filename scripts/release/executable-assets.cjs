/** The chunks of the release as they are in a single executable: assets, each with the code that V8 made of it. */
const { getRawAsset } = require('node:sea');
const { chunkLoader, wrapped } = require('../../bin/chunk-loader.js');

function readAsset(name) {
  const code = Buffer.from(getRawAsset(name));
  return {
    source: wrapped(code.length, (bytes, at) => code.copy(bytes, at)),
    file: `boh/${name}`,
    compiled: compiledAsset(`${name}.compiled`),
  };
}

/** Returns compiled code; undefined in an executable that was made on another platform, which has none. */
function compiledAsset(name) {
  try {
    return Buffer.from(getRawAsset(name));
  } catch {
    return undefined;
  }
}

module.exports = { load: chunkLoader(readAsset).load };
