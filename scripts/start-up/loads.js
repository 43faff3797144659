/** Preloaded into a run of boh: notes what is loaded, and writes it as JSON to the file that BOH_LOADS names. */
import fs, { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The files of boh, in the order they were loaded. */
const files = [];
let bytes = 0;

function note(file, source) {
  files.push(file.slice(file.lastIndexOf('/') + 1));
  bytes += Buffer.byteLength(source ?? '');
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url.startsWith('file:')) note(url, loaded.source);
    return loaded;
  },
});

// Chunks are read by a loader of boh's own: bin/chunk-loader.js.
const { readFileSync } = fs;
fs.readFileSync = (file, ...rest) => {
  const content = readFileSync(file, ...rest);
  if (/[\\/]dist[\\/].*\.cjs$/.test(String(file))) note(String(file), content);
  return content;
};

const before = new Set(process.moduleLoadList);

process.on('exit', () => {
  const builtins = process.moduleLoadList.filter(
    (name) => name.startsWith('NativeModule') && !before.has(name),
  );
  writeFileSync(process.env.BOH_LOADS, JSON.stringify({ files, bytes, builtins }));
});
