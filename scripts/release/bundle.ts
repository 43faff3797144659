/** What the program is bundled from, and what is left out of it. */
import type { InputOptions } from 'rolldown';
import { api } from '../../src/resources/index.ts';
import { fingerprintOf, schemaOf } from '../../src/sandbox/store/schema.ts';
import { Tables } from '../../src/sandbox/store/tables.ts';
import { root } from '../root.ts';
import { ascii } from './ascii.ts';
import { nodeModulesDirectly } from './builtins.ts';
import { leaveOut, leaveOutDefines } from './leave-out.ts';
import { madeWhenUsed } from './made-when-used.ts';
import { plainExports } from './plain-exports.ts';
import { plainFlags } from './plain-flags.ts';

const defines = {
  ...leaveOutDefines,
  BOH_CONTRACT_MARK: contractMark(),
  // As seen from dist/chunks/, where all but the entries are.
  BOH_WORKBOOK_WORKER: JSON.stringify('../workbook-worker.cjs'),
  BOH_QUERY_WORKER: JSON.stringify('../query-worker.cjs'),
};

export function bundled(input: Record<string, string>, plugins: InputOptions['plugins']): InputOptions {
  return {
    cwd: root,
    input,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    transform: { target: 'node22.22', define: defines },
    // One command may load on demand what another one loads at once.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      leaveOut(),
      plainFlags(),
      madeWhenUsed(),
      nodeModulesDirectly(),
      plainExports(),
      plugins,
      ascii(),
    ],
  };
}

/** Names and lines stay as they are, so that the report of a bug can be read: shorter ones load no faster. */
export const written = {
  format: 'cjs',
  minify: { compress: true, mangle: false, codegen: false },
  comments: false,
} as const;

/** Of the API that is built in: see src/sandbox/store/open.ts. */
function contractMark(): string {
  return JSON.stringify(fingerprintOf(schemaOf(new Tables(api).all)));
}
