/**
 * Takes Node's own modules from `process.getBuiltinModule`. An `import` of one reads every export it has,
 * getters included: for `node:http` that loads fetch and WebSocket, 20 ms for nothing.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const importLine = /^import (?:\{([^}]*)\}|(?:\* as )?([\w$]+)) from "(node:[\w/]+)";$/gm;
const prefix = '\0builtin:';

export function nodeModulesDirectly(): Plugin {
  return {
    name: 'node-modules-directly',
    resolveId(source, _importer, { kind }) {
      if (!isBuiltin(source)) return null;
      const id = source.startsWith('node:') ? source : `node:${source}`;
      return kind === 'require-call' ? prefix + id : { id, external: true, moduleSideEffects: false };
    },
    load(id) {
      if (!id.startsWith(prefix)) return null;
      return { code: `module.exports = ${builtin(id.slice(prefix.length))}`, moduleType: 'js' };
    },
    renderChunk(code) {
      return code.replace(importLine, (_line, names: string | undefined, whole: string, id: string) => {
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
