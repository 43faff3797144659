/** Writes the loaded files and modules of a run of boh as JSON to the file in LOADS_REPORT at its exit. It is preloaded. */
import fs, { statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The files of boh, in the order in which they were loaded. */
const files = [];
let bytes = 0;

function addFile(file, size) {
  files.push(file.slice(file.lastIndexOf('/') + 1));
  bytes += size;
}

registerHooks({
  load(url, context, nextLoad) {
    const result = nextLoad(url, context);
    if (url.startsWith('file:')) addFile(url, Buffer.byteLength(result.source ?? ''));
    return result;
  },
});

// bin/chunk-loader.js reads chunks without hooks.
const { openSync } = fs;
fs.openSync = (file, ...args) => {
  if (/[\\/]dist[\\/].*\.cjs$/.test(String(file))) addFile(String(file), statSync(file).size);
  return openSync(file, ...args);
};

const initialModules = new Set(process.moduleLoadList);

process.on('exit', () => {
  const builtins = process.moduleLoadList.filter(
    (name) => name.startsWith('NativeModule') && !initialModules.has(name),
  );
  writeFileSync(process.env.LOADS_REPORT, JSON.stringify({ files, bytes, builtins }));
});
