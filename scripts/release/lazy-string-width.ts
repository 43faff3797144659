/**
 * Changes string-width so that it creates its regular expressions and its segmenter at the first call. It creates them
 * when it is loaded, which takes as long as starting Node, because they contain the letters and emoji of all scripts.
 */
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../root.ts';

/** The path of boh's version. Older versions, which libraries contain, don't need the change. */
const libraryPath = new RegExp(`^${RegExp.escape(join(root, 'node_modules/string-width/index.js'))}$`);

const declaration = 'export default function stringWidth(';

/** Returns the rolldown plugin that changes string-width. The build fails if the code of the library isn't as expected. */
export function lazyStringWidth(): Plugin {
  return {
    name: 'lazy-string-width',
    transform: {
      filter: { id: libraryPath },
      handler(code) {
        const imports = code.match(/^import .*;$/gm) ?? [];
        const codeWithoutImports = imports.reduce(
          (remainingCode, line) => remainingCode.replace(line, ''),
          code,
        );
        if (!codeWithoutImports.includes(declaration))
          throw new Error('The code of string-width has changed: see scripts/release/lazy-string-width.ts.');
        return [
          ...imports,
          'let stringWidthFunction;',
          'export default function (...args) { return (stringWidthFunction ??= create())(...args); }',
          `function create() {\n${codeWithoutImports.replace(declaration, 'function stringWidth(')}\nreturn stringWidth;\n}`,
        ].join('\n');
      },
    },
  };
}
