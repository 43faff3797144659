/** Bundles the program and every library it uses into dist/, one chunk for each part that is loaded on demand. */
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { bundled, written } from './release/bundle.ts';
import { dist } from './release/chunks.ts';
import { thirdPartyLicenses } from './release/licenses.ts';

const started = performance.now();

const onTheWayOfEveryVerb =
  /\/src\/(commands\/verbs\/run-list|session\/(session|record-body)|client\/embedded|pace\/(pace|limit)|auth\/jwt|settings\/load|interaction\/output\/(present-records|wording|steady-heap)|terminal\/formats\/(format|json))\.ts/;

/** What the other verbs need beyond what a list does. */
const onTheWayOfOneRecord = /\/src\/(commands\/verbs|session)\//;

/** What keeps a write in the history. */
const onTheWayOfEveryWrite =
  /\/src\/(history\/(recording|journal\/(chain|form|journal|place|queue)\.ts)|commands\/history\/recording|interaction\/input\/covered-line|bulk\/ledger\/run-id)/;

/** What help and completion need of the verbs: they run none. */
const flagsOfEveryVerb = /\/src\/commands\/(verbs\/(get|list|remove|save|upsert)\.ts|bulk\/run-flags\.ts)/;

/** What answers a request; not what fills a new sandbox, nor what serves one. */
const partOfTheSandbox =
  /\/src\/sandbox\/((access|http|lists|operations|records|rules|validation)\/|business\/(clock|events|loyalty|movements|orders|passing-time|settings|status|stock)\.ts|faults\/rate-limit\.ts|oauth\/clients\.ts|store\/(?!place|text-index)|(service|context|deployment|variant|calendar|kinds)\.ts)/;

/** What is started by itself: the program, and threads of its own. */
const entries = {
  main: 'src/main.ts',
  'workbook-worker': 'src/bulk/workbook/worker.ts',
  'query-worker': 'src/mirror/stores/query-worker.ts',
};

const bundle = await rolldown(bundled(entries, [thirdPartyLicenses(), billOfMaterials()]));

rmSync(dist, { recursive: true, force: true });
const { output } = await bundle.write({
  ...written,
  dir: dist,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  // What is always loaded together comes in one file; left alone, shared modules would become many small ones.
  codeSplitting: {
    groups: [
      // Failures of files are told of by commands that open none.
      { name: 'main', test: /\/src\/(main|storage\/failures)\.ts$/, priority: 3 },
      { name: 'resource-command', test: /\/src\/commands\/resource-command\.ts$/, priority: 2 },
      // Others stand on it, too: taken before what it would go with.
      {
        name: 'storage',
        test: /\/src\/storage\/(copy|create|database|existing|open|turns|unmoved)\.ts/,
        priority: 2,
      },
      { name: 'verb-flags', test: flagsOfEveryVerb, priority: 2 },
      { name: 'verbs', test: onTheWayOfEveryVerb, priority: 1 },
      { name: 'one-record', test: onTheWayOfOneRecord, priority: 1 },
      { name: 'recording', test: onTheWayOfEveryWrite, priority: 1 },
      { name: 'sandbox', test: partOfTheSandbox, priority: 1 },
      {
        name: 'complete',
        test: /\/src\/(commands\/reference-names|(commands|interaction)\/completion\/(complete|candidates|line|candidate|shells|bash-line))\.ts/,
        priority: 1,
      },
    ],
  },
});
await bundle.close();

// What is compiled of the chunks is kept, and good for these alone.
const mark = createHash('sha256');
for (const file of output) if (file.type === 'chunk') mark.update(`${file.fileName}\0${file.code}\0`);
writeFileSync(join(dist, 'build-mark'), mark.digest('hex').slice(0, 32));

const size = output.reduce((sum, file) => sum + (file.type === 'chunk' ? file.code.length : 0), 0);
const chunks = output.filter((file) => file.type === 'chunk').length;
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`dist/: ${chunks} chunks, ${Math.round(size / 1024)} KB, ${seconds.toFixed(1)} s\n`);
