/** Leaves out of the release what boh never uses of undici: most of its bytes, and half of its loading time. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

/** undici's own switch for builds without its experimental parser. */
export const undiciDefines = { esbuildDetection: 'true' };

/** Modules inside undici that no request of boh reaches. */
const unused = [
  // HTTP/2: the transport asks for HTTP/1.1 alone, and `node:http2` is slow to load.
  '/client-h2',
  // Bodies that are forms or fetch's own; boh sends text.
  '/web/fetch/body',
  '/web/fetch/formdata',
  '/web/webidl',
];

const entry = fileURLToPath(new URL('undici-entry.js', import.meta.url));
const absent = fileURLToPath(new URL('undici-absent.cjs', import.meta.url));

export function slimUndici(): Plugin {
  return {
    name: 'slim-undici',
    resolveId(source, importer) {
      if (source === 'undici') return entry;
      const isInside = importer?.includes('/node_modules/undici/') ?? false;
      const path = source.replace(/\.js$/, '');
      return isInside && unused.some((name) => path.endsWith(name)) ? absent : null;
    },
  };
}
