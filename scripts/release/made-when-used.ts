/**
 * Has string-width make its regular expressions and its segmenter at the first call. It makes them when it is loaded,
 * which takes as long as starting Node: the engine gathers the letters and emoji of all scripts for them.
 */
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../root.ts';

/** Not the older ones that libraries bring along: those are plain functions. */
const ownLibrary = new RegExp(`^${RegExp.escape(join(root, 'node_modules/string-width/index.js'))}$`);

const declaration = 'export default function stringWidth(';

/** The plugin for the bundle. Throws where the library is no longer written as expected. */
export function madeWhenUsed(): Plugin {
  return {
    name: 'made-when-used',
    transform: {
      filter: { id: ownLibrary },
      handler(code) {
        const imports = code.match(/^import .*;$/gm) ?? [];
        const rest = imports.reduce((left, line) => left.replace(line, ''), code);
        if (!rest.includes(declaration))
          throw new Error('string-width is written in another way: see scripts/release/made-when-used.ts.');
        return [
          ...imports,
          'let made;',
          'export default function (...given) { return (made ??= make())(...given); }',
          `function make() {\n${rest.replace(declaration, 'function stringWidth(')}\nreturn stringWidth;\n}`,
        ].join('\n');
      },
    },
  };
}
