/** Bundles the program and its libraries into dist/, with a chunk for each part that is loaded on demand. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { completionScripts } from '../src/cli/commands/completion/index.ts';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { inputOptions, outputOptions } from './release/bundle.ts';
import { dist } from './release/chunks.ts';
import { thirdPartyLicenses } from './release/licenses.ts';
import { root } from './root.ts';

const startMs = performance.now();

/** The modules of the verbs that read. Completion and help load them too. */
const readingVerbModules = sourcePattern('cli/commands/verbs', ['read.ts']);

/** The modules that every verb loads when it runs. */
const sessionModules = sourcePattern('', [
  ...[
    'cli/main/account.ts',
    'account/session/record-body.ts',
    'account/auth/jwt.ts',
    'cli/terminal/formats/format.ts',
  ],
  ...[
    'cli/terminal/formats/json.ts',
    'cli/output/present-records.ts',
    'cli/output/wording.ts',
    'cli/output/heap-limiter.ts',
  ],
]);

/** The modules of the verbs that write to single records. */
const writingVerbModules = sourcePattern('cli/commands/verbs', [
  ...['save.ts', 'save-records.ts', 'upsert.ts', 'remove.ts'],
]);

/** The modules that record every write in the history. */
const recordingModules = sourcePattern('', [
  ...['engine/history/recording/', 'engine/history/journal/journal.ts', 'engine/runs/log.ts'],
  ...['engine/runs/ledger/format.ts', 'cli/commands/history/recording.ts', 'engine/runs/ledger/run-id.ts'],
]);

/** The modules that handle a request to the sandbox, without those that seed a new sandbox or serve one over HTTP. */
const sandboxModules = sourcePattern('sandbox', [
  ...['access/', 'http/', 'lists/', 'operations/', 'records/', 'rules/', 'validation/'],
  ...['business/', 'faults/limits.ts', 'oauth/clients.ts'],
  ...['store/rows.ts', 'store/open.ts', 'store/schema.ts', 'store/tables.ts'],
  ...['service.ts', 'context.ts', 'calendar.ts', 'kinds.ts'],
]);

/** The modules that access SQLite files. Several chunks use them. */
const storageModules = sourcePattern('base/storage', [
  ...['copy.ts', 'create.ts', 'database.ts', 'json-cell.ts', 'open.ts'],
  ...['file-identity.ts', 'retry-while-busy.ts'],
]);

/** The modules that complete a command line. */
const completionModules = sourcePattern('cli/commands/completion', [
  ...['complete.ts', 'partial-command-line.ts', 'candidate.ts', 'shells.ts'],
]);

/** The entry points: the program, its worker threads, and the module `boh/testing`. */
const entries = {
  main: 'src/cli/main.ts',
  'workbook-worker': 'src/engine/tables/workbook/worker.ts',
  'query-worker': 'src/engine/mirror/stores/query-worker.ts',
  testing: 'src/testing/index.ts',
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
      { name: 'main', test: sourcePattern('', ['cli/main.ts', 'base/storage/failures.ts']), priority: 3 },
      { name: 'resource-command', test: sourcePattern('cli/commands', ['resource-command.ts']), priority: 2 },
      // Has a higher priority than the chunks that would otherwise contain these modules.
      { name: 'storage', test: storageModules, priority: 2 },
      { name: 'reading-verbs', test: readingVerbModules, priority: 2 },
      { name: 'session', test: sessionModules, priority: 1 },
      { name: 'writing-verbs', test: writingVerbModules, priority: 1 },
      { name: 'recording', test: recordingModules, priority: 1 },
      { name: 'sandbox', test: sandboxModules, priority: 1 },
      { name: 'complete', test: completionModules, priority: 1 },
    ],
  },
});
await bundle.close();

const declaration = 'export declare const startSandbox: StartSandbox;\n';
writeFileSync(
  join(dist, 'testing.d.ts'),
  `${readFileSync(join(root, 'src/testing/types.ts'), 'utf8')}\n${declaration}`,
);

// Identifies the build: a cache of compiled code is valid for one build only.
const buildHash = createHash('sha256');
for (const file of output) if (file.type === 'chunk') buildHash.update(`${file.fileName}\0${file.code}\0`);
writeFileSync(join(dist, 'build-mark'), buildHash.digest('hex').slice(0, 32));

const size = output.reduce((sum, file) => sum + (file.type === 'chunk' ? file.code.length : 0), 0);
const chunks = output.filter((file) => file.type === 'chunk').length;
const seconds = (performance.now() - startMs) / 1000;
process.stdout.write(`dist/: ${chunks} chunks, ${Math.round(size / 1024)} KB, ${seconds.toFixed(1)} s\n`);

/**
 * Returns a pattern that matches these files and folders below a folder of src/. Throws if one of them doesn't exist, so
 * that a renamed module doesn't move to another chunk.
 */
function sourcePattern(folder: string, paths: readonly string[]): RegExp {
  // The patterns must not contain the separator of the system.
  const sources = paths.map((path) => posix.join('src', folder, path));
  const missing = sources.filter((source) => !existsSync(join(root, source)));
  if (missing.length > 0) throw new Error(`A chunk has modules that don't exist: ${missing.join(', ')}.`);
  return new RegExp(`/(?:${sources.map((source) => source.replaceAll('.', '\\.')).join('|')})`);
}

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
