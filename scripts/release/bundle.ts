/** Options for bundling the program with rolldown. */
import type { InputOptions } from 'rolldown';
import { api } from '../../src/api/resources/index.ts';
import { fingerprintOf, schemaOf } from '../../src/sandbox/store/schema.ts';
import { Tables } from '../../src/sandbox/store/tables.ts';
import { root } from '../root.ts';
import { escapeNonAscii } from './ascii.ts';
import { requireBuiltins } from './builtins.ts';
import { lazyStringWidth } from './lazy-string-width.ts';
import { exportPlainValues } from './plain-exports.ts';
import { asciiFlagPattern } from './plain-flags.ts';
import { removeUnusedLibraryCode, unusedCodeDefines } from './unused-library-code.ts';

const defines = {
  ...unusedCodeDefines,
  BOH_CONTRACT_FINGERPRINT: contractFingerprint(),
  // Paths relative to dist/chunks/, where all chunks except the entries are.
  BOH_WORKBOOK_WORKER: JSON.stringify('../workbook-worker.cjs'),
  BOH_QUERY_WORKER: JSON.stringify('../query-worker.cjs'),
};

/** Returns rolldown's input options for these entry points, with the plugins that every build uses and further `plugins`. */
export function inputOptions(input: Record<string, string>, plugins: InputOptions['plugins']): InputOptions {
  return {
    cwd: root,
    input,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    transform: { target: 'node22.22', define: defines },
    // Some commands import a module dynamically that others import statically.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      removeUnusedLibraryCode(),
      asciiFlagPattern(),
      lazyStringWidth(),
      requireBuiltins(),
      exportPlainValues(),
      plugins,
      escapeNonAscii(),
    ],
  };
}

/** Options for the output. Names and line breaks are kept for readable stack traces: removing them doesn't save time. */
export const outputOptions = {
  format: 'cjs',
  minify: { compress: true, mangle: false, codegen: false },
  comments: false,
} as const;

/** Returns the fingerprint of the built-in API, for src/sandbox/store/open.ts. */
function contractFingerprint(): string {
  return JSON.stringify(fingerprintOf(schemaOf(new Tables(api).all)));
}
