/**
 * Takes Node's own modules from `process.getBuiltinModule`. An `import` of one reads every export it has,
 * getters included: for `node:http` that loads fetch and WebSocket, 20 ms for nothing.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const requireCall = /\b__require\("(node:[\w/]+)"\)/g;
const importLine = /^import (?:\{([^}]*)\}|(?:\* as )?([\w$]+)) from "(node:[\w/]+)";$/gm;

export function nodeModulesDirectly(): Plugin {
  return {
    name: 'node-modules-directly',
    resolveId(source) {
      if (!isBuiltin(source)) return null;
      const id = source.startsWith('node:') ? source : `node:${source}`;
      return { id, external: true, moduleSideEffects: false };
    },
    renderChunk(code) {
      return code
        .replace(requireCall, (_call, id: string) => builtin(id))
        .replace(importLine, (_line, names: string | undefined, whole: string, id: string) => {
          const target = names === undefined ? whole : `{${names.replaceAll(' as ', ': ')}}`;
          return `const ${target} = ${builtin(id)};`;
        });
    },
  };
}

/** A module may call something else `process`. */
function builtin(id: string): string {
  return `globalThis.process.getBuiltinModule(${JSON.stringify(id)})`;
}
