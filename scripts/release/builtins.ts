/**
 * Takes Node's own modules as `require` gives them. What stands between ES modules and the others would copy every
 * name that such a module has, at each start.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

/** `fs_1 = …toESM(fs_1, 1);`, which makes a module with a default of the one that was required; other code may follow it. */
const wrapping = /^([\w$]+) = [\w$.]+\(\1(?:, 1)?\)(?:;\n|, )/gm;
const wrappedAnywhere = /\b([\w$]+) = [\w$.]+\(\1(?:, 1)?\)/g;
/** Slow to load, and needed by few of the commands that have the code for it: loaded at the first use. */
const loadedLate =
  /\b(node_[\w$]+) = (require\("node:(?:crypto|http|net|tls|tty|zlib|sqlite|worker_threads|child_process|timers\/promises|fs\/promises|stream\/consumers)"\))/g;
/** An `import` of Node's own sets up all that ES modules need, for what a `require` gives as well. */
const imported = /(?<![\w$.])import\(("node:[\w/]+")\)/g;
const required = /([\w$]+) = require\("node:[\w/]+"\)/g;

export function nodeModulesDirectly(): Plugin {
  return {
    name: 'node-modules-directly',
    resolveId(source) {
      if (!isBuiltin(source)) return null;
      const id = source.startsWith('node:') ? source : `node:${source}`;
      return { id, external: true, moduleSideEffects: false };
    },
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = directly(file.code);
    },
  };
}

function directly(code: string): string {
  const names = new Set([...code.matchAll(required)].map(([, name = '']) => name));
  const late = new Set<string>();
  const direct = code
    .replace(imported, 'Promise.resolve().then(() => require($1))')
    .replace(wrapping, (line, name: string) => (names.has(name) ? '' : line))
    .replace(/\b([\w$]+)\.default\b/g, (text, name: string) => (names.has(name) ? name : text))
    .replace(loadedLate, (_text, name: string, load: string) => {
      late.add(name);
      // Looked up once: what is called for each of ten thousand rows would look it up each time.
      return `${name} = { get late() { const value = ${load}; Object.defineProperty(this, "late", { value }); return value; } }`;
    })
    .replace(/(?<![\w$.])(node_[\w$]+)(?=\.[\w$])/g, (text) => (late.has(text) ? `${text}.late` : text));
  const [, left] = [...direct.matchAll(wrappedAnywhere)].find(([, name = '']) => names.has(name)) ?? [];
  if (left !== undefined)
    throw new Error(`${left} is still wrapped: scripts/release/builtins.ts doesn't know how.`);
  return direct;
}
