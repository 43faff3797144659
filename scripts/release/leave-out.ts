/** Removes parts of libraries that boh doesn't use from the bundle. This halves the load time of undici. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const absent = pathOf('absent.cjs');

/** Modules that a library imports, by the end of their path, with the file that replaces them. */
const replacements = [
  // HTTP/2: boh only uses HTTP/1.1, and `node:http2` is slow to load.
  { library: 'undici', module: '/client-h2', by: absent },
  // Bodies of fetch and forms: boh sends text.
  { library: 'undici', module: '/web/fetch/body', by: absent },
  { library: 'undici', module: '/web/fetch/formdata', by: absent },
  { library: 'undici', module: '/web/webidl', by: absent },
  // Modules of Node that load many others, although undici only uses a function and a number.
  { library: 'undici', module: 'node:assert', by: pathOf('instead-of-assert.cjs') },
  { library: 'undici', module: 'node:http', by: pathOf('instead-of-http.cjs') },
  // A faster lookup of header names, which only pays off for commands with many responses.
  { library: 'undici', module: '/tree', by: pathOf('instead-of-tree.cjs') },
  // Subcommands that are separate programs.
  { library: 'commander', module: 'node:child_process', by: absent },
];

/** The switch of undici for builds without its experimental parser. */
export const leaveOutDefines = { esbuildDetection: 'true' };

const undiciEntry = pathOf('undici-entry.js');
const undiciProxyEntry = pathOf('undici-proxy-entry.js');

/** Returns the plugin. */
export function leaveOut(): Plugin {
  return {
    name: 'leave-out',
    resolveId(source, importer = '') {
      if (source === 'undici')
        return importer.endsWith('/src/client/proxy-dispatcher.ts') ? undiciProxyEntry : undiciEntry;
      const path = source.replace(/\.js$/, '');
      const replacement = replacements.find(
        ({ library, module }) => importer.includes(`/node_modules/${library}/`) && path.endsWith(module),
      );
      return replacement?.by ?? null;
    },
  };
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
