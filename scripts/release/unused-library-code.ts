/** Removes parts of libraries that boh doesn't use from the bundle. This halves the load time of undici. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const removedModule = pathOf('removed-module.cjs');

/** Modules that a library imports, by the end of their path, with the file that replaces them. */
const replacements = [
  // HTTP/2: boh only uses HTTP/1.1, and `node:http2` is slow to load.
  { library: 'undici', module: '/client-h2', replacement: removedModule },
  // Bodies of fetch and forms: boh sends text.
  { library: 'undici', module: '/web/fetch/body', replacement: removedModule },
  { library: 'undici', module: '/web/fetch/formdata', replacement: removedModule },
  { library: 'undici', module: '/web/webidl', replacement: removedModule },
  // Modules of Node that load many others, although undici only uses a function and a number.
  { library: 'undici', module: 'node:assert', replacement: pathOf('undici-assert.cjs') },
  { library: 'undici', module: 'node:http', replacement: pathOf('undici-http.cjs') },
  // A faster lookup of header names, which only pays off for commands with many responses.
  { library: 'undici', module: '/tree', replacement: pathOf('undici-header-tree.cjs') },
  // Subcommands that are separate programs.
  { library: 'commander', module: 'node:child_process', replacement: removedModule },
];

/** Constants for rolldown's `define`: undici omits its experimental parser if `esbuildDetection` is true. */
export const unusedCodeDefines = { esbuildDetection: 'true' };

const undiciEntry = pathOf('undici-entry.js');
const undiciProxyEntry = pathOf('undici-proxy-entry.js');

/** Returns the rolldown plugin that replaces unused modules of libraries, and undici's entry point with a smaller one. */
export function removeUnusedLibraryCode(): Plugin {
  return {
    name: 'unused-library-code',
    resolveId(source, importer = '') {
      if (source === 'undici')
        return importer.endsWith('/src/account/client/proxy-dispatcher.ts') ? undiciProxyEntry : undiciEntry;
      const path = source.replace(/\.js$/, '');
      const replacement = replacements.find(
        ({ library, module }) => importer.includes(`/node_modules/${library}/`) && path.endsWith(module),
      );
      return replacement?.replacement ?? null;
    },
  };
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
