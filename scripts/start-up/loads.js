/** Preloaded into a run of boh: notes what is loaded, and writes it as JSON to the file that BOH_LOADS names. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The files of boh, in the order they were loaded. */
const files = [];
let bytes = 0;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url.startsWith('file:')) {
      files.push(url.slice(url.lastIndexOf('/') + 1));
      bytes += Buffer.byteLength(loaded.source ?? '');
    }
    return loaded;
  },
});

const before = new Set(process.moduleLoadList);

process.on('exit', () => {
  const builtins = process.moduleLoadList.filter(
    (name) => name.startsWith('NativeModule') && !before.has(name),
  );
  writeFileSync(process.env.BOH_LOADS, JSON.stringify({ files, bytes, builtins }));
});
