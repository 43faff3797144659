/** Bundles the program and every library it uses into dist/, one chunk for each part that is loaded on demand. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { api } from '../src/resources/index.ts';
import { markOf, schemaOf } from '../src/sandbox/store/schema.ts';
import { Tables } from '../src/sandbox/store/tables.ts';
import { ascii } from './release/ascii.ts';
import { nodeModulesDirectly } from './release/builtins.ts';
import { leaveOut, leaveOutDefines } from './release/leave-out.ts';
import { thirdPartyLicenses } from './release/licenses.ts';
import { root } from './root.ts';

const started = performance.now();
const dist = join(root, 'dist');

const onTheWayOfEveryVerb =
  /\/src\/(commands\/verbs\/|session\/|client\/embedded\.ts|pace\/(pace|limit)\.ts|storage\/failures\.ts|auth\/jwt\.ts|settings\/load\.ts|interaction\/output\/steady-heap\.ts|terminal\/formats\/(format|json)\.ts)/;

const defines = {
  ...leaveOutDefines,
  BOH_CONTRACT_MARK: contractMark(),
  // As seen from dist/chunks/, where all but the entries are.
  BOH_WORKBOOK_WORKER: JSON.stringify('../workbook-worker.cjs'),
};

const bundle = await rolldown({
  cwd: root,
  input: { main: 'src/main.ts', 'workbook-worker': 'src/bulk/workbook/worker.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  transform: { target: 'node22.22', define: defines },
  // One command may load on demand what another one loads at once.
  checks: { ineffectiveDynamicImport: false },
  plugins: [leaveOut(), nodeModulesDirectly(), thirdPartyLicenses(), ascii()],
});

rmSync(dist, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: dist,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  // What is always loaded together comes in one file; left alone, shared modules would become many small ones.
  codeSplitting: {
    groups: [
      { name: 'main', test: /\/src\/main\.ts$/, priority: 3 },
      { name: 'resource-command', test: /\/src\/commands\/resource-command\.ts$/, priority: 2 },
      { name: 'verbs', test: onTheWayOfEveryVerb, priority: 1 },
    ],
  },
  // Names and lines stay as they are, so that the report of a bug can be read: shorter ones load no faster.
  minify: { compress: true, mangle: false, codegen: false },
  comments: false,
});
await bundle.close();

const size = output.reduce((sum, file) => sum + (file.type === 'chunk' ? file.code.length : 0), 0);
const chunks = output.filter((file) => file.type === 'chunk').length;
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`dist/: ${chunks} chunks, ${Math.round(size / 1024)} KB, ${seconds.toFixed(1)} s\n`);

/** Of the API that is built in: see src/sandbox/store/built-mark.ts. */
function contractMark(): string {
  return JSON.stringify(markOf(schemaOf(new Tables(api).all)));
}
