/** Preloaded into a run of boh: notes what is loaded, and writes it as JSON to the file that BOH_LOADS names. */
import fs, { statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The files of boh, in the order they were loaded. */
const files = [];
let bytes = 0;

function note(file, size) {
  files.push(file.slice(file.lastIndexOf('/') + 1));
  bytes += size;
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url.startsWith('file:')) note(url, Buffer.byteLength(loaded.source ?? ''));
    return loaded;
  },
});

// Chunks are read by a loader of boh's own: bin/chunk-loader.js.
const { openSync } = fs;
fs.openSync = (file, ...rest) => {
  if (/[\\/]dist[\\/].*\.cjs$/.test(String(file))) note(String(file), statSync(file).size);
  return openSync(file, ...rest);
};

const before = new Set(process.moduleLoadList);

process.on('exit', () => {
  const builtins = process.moduleLoadList.filter(
    (name) => name.startsWith('NativeModule') && !before.has(name),
  );
  writeFileSync(process.env.BOH_LOADS, JSON.stringify({ files, bytes, builtins }));
});
