/** Bundles the program and every library it uses into dist/, one chunk for each part that is loaded on demand. */
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { completionScripts } from '../src/commands/completion/scripts.ts';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { bundled, written } from './release/bundle.ts';
import { dist } from './release/chunks.ts';
import { thirdPartyLicenses } from './release/licenses.ts';

const started = performance.now();

/** The verbs that read: completion and help load them, too. */
const verbsThatRead = /\/src\/commands\/verbs\/(reading|list|get)\.ts/;

/** What every verb loads once it runs. */
const openSession =
  /\/src\/(main\/account|session\/record-body|auth\/jwt|output\/(present-records|wording|steady-heap)|terminal\/formats\/(format|json))\.ts/;

/** The verbs that write to one record or a few. */
const verbsThatWrite = /\/src\/commands\/verbs\/(writing|save|upsert|remove)/;

/** What keeps a write in the history. */
const onTheWayOfEveryWrite =
  /\/src\/(history\/(recording|journal\/(chain|form|journal|journal-path|queue)\.ts)|commands\/history\/recording|runs\/ledger\/run-id)/;

/** What answers a request; not what fills a new sandbox, nor what serves one. */
const partOfTheSandbox =
  /\/src\/sandbox\/((access|http|lists|operations|records|rules|validation)\/|business\/(clock|events|loyalty|movements|orders|settings|status|stock|time-effects)\.ts|faults\/rate-limit\.ts|oauth\/clients\.ts|store\/(?!sandbox-files|text-index)|(service|context|deployment|variant|calendar|kinds)\.ts)/;

/** What is started by itself: the program, and threads of its own. */
const entries = {
  main: 'src/main.ts',
  'workbook-worker': 'src/tables/workbook/worker.ts',
  'query-worker': 'src/mirror/stores/query-worker.ts',
};

const bundle = await rolldown(bundled(entries, [thirdPartyLicenses(), billOfMaterials(), completions()]));

rmSync(dist, { recursive: true, force: true });
const { output } = await bundle.write({
  ...written,
  dir: dist,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  // What is always loaded together comes in one file; left alone, shared modules would become many small ones.
  codeSplitting: {
    groups: [
      // Commands that open no file report failures of files too.
      { name: 'main', test: /\/src\/(main|storage\/failures)\.ts$/, priority: 3 },
      { name: 'resource-command', test: /\/src\/commands\/resource-command\.ts$/, priority: 2 },
      // Others stand on it, too: taken before what it would go with.
      {
        name: 'storage',
        test: /\/src\/storage\/(copy|create|database|existing|json-cell|open|fair-queue|file-identity)\.ts/,
        priority: 2,
      },
      { name: 'reading-verbs', test: verbsThatRead, priority: 2 },
      { name: 'session', test: openSession, priority: 1 },
      { name: 'writing-verbs', test: verbsThatWrite, priority: 1 },
      { name: 'recording', test: onTheWayOfEveryWrite, priority: 1 },
      { name: 'sandbox', test: partOfTheSandbox, priority: 1 },
      {
        name: 'complete',
        test: /\/src\/(commands\/completion\/(complete|candidates|line|candidate|shells))\.ts/,
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

/** Adds the completion scripts, by the names that shells look for. */
function completions(): Plugin {
  const names = { bash: 'boh', zsh: '_boh', fish: 'boh.fish', powershell: 'boh.ps1' } as const;
  return {
    name: 'completions',
    generateBundle() {
      for (const shell of Object.keys(names) as (keyof typeof names)[])
        this.emitFile({
          type: 'asset',
          fileName: `completions/${names[shell]}`,
          source: completionScripts[shell],
        });
    },
  };
}
