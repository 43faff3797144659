/** Bundles the program and its libraries into dist/, with a chunk for each part that is loaded on demand. */
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { completionScripts } from '../src/commands/completion/scripts.ts';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { inputOptions, outputOptions } from './release/bundle.ts';
import { dist } from './release/chunks.ts';
import { thirdPartyLicenses } from './release/licenses.ts';

const started = performance.now();

/** The modules of the verbs that read. Completion and help load them too. */
const readingVerbModules = /\/src\/commands\/verbs\/(reading|list|get)\.ts/;

/** The modules that every verb loads when it runs. */
const sessionModules =
  /\/src\/(main\/account|session\/record-body|auth\/jwt|output\/(present-records|wording|heap-limiter)|terminal\/formats\/(format|json))\.ts/;

/** The modules of the verbs that write to single records. */
const writingVerbModules = /\/src\/commands\/verbs\/(writing|save|upsert|remove)/;

/** The modules that record every write in the history. */
const recordingModules =
  /\/src\/(history\/(recording|journal\/(chain|form|journal|journal-path|queue)\.ts)|commands\/history\/recording|runs\/ledger\/run-id)/;

/** The modules that handle a request to the sandbox, without those that seed a new sandbox or serve one over HTTP. */
const sandboxModules =
  /\/src\/sandbox\/((access|http|lists|operations|records|rules|validation)\/|business\/(clock|events|loyalty|movements|orders|settings|status|stock|time-effects)\.ts|faults\/rate-limit\.ts|oauth\/clients\.ts|store\/(?!sandbox-files|text-index)|(service|context|deployment|variant|calendar|kinds)\.ts)/;

/** The entry points: the program and its worker threads. */
const entries = {
  main: 'src/main.ts',
  'workbook-worker': 'src/tables/workbook/worker.ts',
  'query-worker': 'src/mirror/stores/query-worker.ts',
};

const bundle = await rolldown(
  inputOptions(entries, [thirdPartyLicenses(), billOfMaterials(), completions()]),
);

rmSync(dist, { recursive: true, force: true });
const { output } = await bundle.write({
  ...outputOptions,
  dir: dist,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  // Modules that are always loaded together go into one chunk. By default, shared modules become many small chunks.
  codeSplitting: {
    groups: [
      // Commands that don't open a file also report failures of files.
      { name: 'main', test: /\/src\/(main|storage\/failures)\.ts$/, priority: 3 },
      { name: 'resource-command', test: /\/src\/commands\/resource-command\.ts$/, priority: 2 },
      // Several chunks use it, so it has a higher priority than the chunks that would contain it.
      {
        name: 'storage',
        test: /\/src\/storage\/(copy|create|database|existing|json-cell|open|fair-queue|file-identity)\.ts/,
        priority: 2,
      },
      { name: 'reading-verbs', test: readingVerbModules, priority: 2 },
      { name: 'session', test: sessionModules, priority: 1 },
      { name: 'writing-verbs', test: writingVerbModules, priority: 1 },
      { name: 'recording', test: recordingModules, priority: 1 },
      { name: 'sandbox', test: sandboxModules, priority: 1 },
      {
        name: 'complete',
        test: /\/src\/(commands\/completion\/(complete|candidates|line|candidate|shells))\.ts/,
        priority: 1,
      },
    ],
  },
});
await bundle.close();

// Identifies the build: a cache of compiled code is valid for one build only.
const buildHash = createHash('sha256');
for (const file of output) if (file.type === 'chunk') buildHash.update(`${file.fileName}\0${file.code}\0`);
writeFileSync(join(dist, 'build-mark'), buildHash.digest('hex').slice(0, 32));

const size = output.reduce((sum, file) => sum + (file.type === 'chunk' ? file.code.length : 0), 0);
const chunks = output.filter((file) => file.type === 'chunk').length;
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`dist/: ${chunks} chunks, ${Math.round(size / 1024)} KB, ${seconds.toFixed(1)} s\n`);

/** Adds the completion scripts, with the file names that shells look for. */
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
