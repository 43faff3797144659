/** Leaves out of the release the parts of libraries that boh never reaches; undici loads in half the time for it. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const absent = place('absent.cjs');

/** What an import of a library means in the release, where its module ends so. */
const replaced = [
  // HTTP/2: the transport asks for HTTP/1.1 alone, and `node:http2` is slow to load.
  { library: 'undici', module: '/client-h2', by: absent },
  // Bodies that are forms or fetch's own; boh sends text.
  { library: 'undici', module: '/web/fetch/body', by: absent },
  { library: 'undici', module: '/web/fetch/formdata', by: absent },
  { library: 'undici', module: '/web/webidl', by: absent },
  // A handful of Node's modules for one function, and for one number.
  { library: 'undici', module: 'node:assert', by: place('instead-of-assert.cjs') },
  { library: 'undici', module: 'node:http', by: place('instead-of-http.cjs') },
  // A quicker look-up of names that few commands read often enough.
  { library: 'undici', module: '/tree', by: place('instead-of-tree.cjs') },
  // Subcommands that are programs of their own.
  { library: 'commander', module: 'node:child_process', by: absent },
];

/** undici's own switch for builds without its experimental parser. */
export const leaveOutDefines = { esbuildDetection: 'true' };

const undiciEntry = place('undici-entry.js');
const undiciProxyEntry = place('undici-proxy-entry.js');

export function leaveOut(): Plugin {
  return {
    name: 'leave-out',
    resolveId(source, importer = '') {
      if (source === 'undici')
        return importer.endsWith('/src/client/proxy-dispatcher.ts') ? undiciProxyEntry : undiciEntry;
      const path = source.replace(/\.js$/, '');
      const found = replaced.find(
        ({ library, module }) => importer.includes(`/node_modules/${library}/`) && path.endsWith(module),
      );
      return found?.by ?? null;
    },
  };
}

function place(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
