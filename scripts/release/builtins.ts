/**
 * Uses Node's modules as `require` returns them. The bundler's wrapper for ES module imports would copy every name of
 * a module at each start.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

/** Matches the bundler's wrapper, such as `fs_1 = …toESM(fs_1, 1);`. */
const wrapperStatement = /^([\w$]+) = [\w$.]+\(\1(?:, 1)?\)(?:;\n|, )/gm;
/** Matches a wrapper inside other statements. */
const wrapperExpression = /\b([\w$]+) = [\w$.]+\(\1(?:, 1)?\)/g;
/** Matches modules that load slowly and that few commands use. They are loaded at the first use. */
const lazyRequire =
  /\b(node_[\w$]+) = (require\("node:(?:crypto|http|net|tls|tty|zlib|sqlite|worker_threads|child_process|timers\/promises|fs\/promises|stream\/consumers)"\))/g;
/** Matches dynamic imports of Node's modules, which would initialize Node's loader for ES modules. */
const dynamicImport = /(?<![\w$.])import\(("node:[\w/]+")\)/g;
const requireStatement = /([\w$]+) = require\("node:[\w/]+"\)/g;

/** Returns the rolldown plugin that replaces ES module imports of Node's modules with plain `require` calls. */
export function requireBuiltins(): Plugin {
  return {
    name: 'require-builtins',
    resolveId(source) {
      if (!isBuiltin(source)) return null;
      const id = source.startsWith('node:') ? source : `node:${source}`;
      return { id, external: true, moduleSideEffects: false };
    },
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') file.code = removeWrappers(file.code);
    },
  };
}

function removeWrappers(code: string): string {
  const names = new Set([...code.matchAll(requireStatement)].map(([, name = '']) => name));
  const lazyNames = new Set<string>();
  const result = code
    .replace(dynamicImport, 'Promise.resolve().then(() => require($1))')
    .replace(wrapperStatement, (line, name: string) => (names.has(name) ? '' : line))
    .replace(/\b([\w$]+)\.default\b/g, (text, name: string) => (names.has(name) ? name : text))
    .replace(lazyRequire, (_text, name: string, load: string) => {
      lazyNames.add(name);
      // The first access replaces the getter with the module, because code may access it for every row.
      return `${name} = { get lazy() { const value = ${load}; Object.defineProperty(this, "lazy", { value }); return value; } }`;
    })
    .replace(/(?<![\w$.])(node_[\w$]+)(?=\.[\w$])/g, (text) => (lazyNames.has(text) ? `${text}.lazy` : text));
  const [, wrapperName] =
    [...result.matchAll(wrapperExpression)].find(([, name = '']) => names.has(name)) ?? [];
  if (wrapperName !== undefined)
    throw new Error(`scripts/release/builtins.ts can't remove the wrapper of ${wrapperName}.`);
  return result;
}
