/** Leaves out of the release the parts of libraries that boh never reaches; undici loads in half the time for it. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const unused = [
  // HTTP/2: the transport asks for HTTP/1.1 alone, and `node:http2` is slow to load.
  { library: 'undici', module: '/client-h2' },
  // Bodies that are forms or fetch's own; boh sends text.
  { library: 'undici', module: '/web/fetch/body' },
  { library: 'undici', module: '/web/fetch/formdata' },
  { library: 'undici', module: '/web/webidl' },
  // Subcommands that are programs of their own.
  { library: 'commander', module: 'node:child_process' },
];

/** undici's own switch for builds without its experimental parser. */
export const leaveOutDefines = { esbuildDetection: 'true' };

const undiciEntry = fileURLToPath(new URL('undici-entry.js', import.meta.url));
const absent = fileURLToPath(new URL('absent.cjs', import.meta.url));

export function leaveOut(): Plugin {
  return {
    name: 'leave-out',
    resolveId(source, importer = '') {
      if (source === 'undici') return undiciEntry;
      const path = source.replace(/\.js$/, '');
      const isUnused = unused.some(
        ({ library, module }) => importer.includes(`/node_modules/${library}/`) && path.endsWith(module),
      );
      return isUnused ? absent : null;
    },
  };
}
