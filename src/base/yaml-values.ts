/** Parses YAML of settings, rules and edited records into values, and finds every problem, also of anchors, with its line. */
import {
  type Document,
  LineCounter,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
  visit,
} from 'yaml';

/** One document of a YAML text. */
export interface YamlValue {
  document: Document;
  /** The value with aliases and merge keys resolved; undefined if there are problems. */
  value?: unknown;
  /** Each with its line and column, at most `maxProblems`. */
  problems: readonly string[];
}

/** The maximum number of reported problems: one missing bracket may cause hundreds. */
const maxProblems = 10;

/** The maximum number of aliases in a document, and the library's measure of the nodes that one anchor may repeat. */
const maxAliases = 1000;

/** Parses all documents of a text; a text without content may have none. Never throws for invalid text. */
export function parseYamlValues(text: string, options: ParseOptions & SchemaOptions = {}): YamlValue[] {
  const lineCounter = new LineCounter();
  const locate = (offset: number, message: string) => {
    const { line, col } = lineCounter.linePos(offset);
    return `line ${line}, column ${col}: ${message}`;
  };
  const documents = parseAllDocuments(text, {
    merge: true,
    ...options,
    lineCounter,
    prettyErrors: false,
    // The library would print warnings itself.
    logLevel: 'silent',
  });
  return documents.map((document) => {
    const errors = [...document.errors, ...document.warnings];
    const tooDeep = errors.find(({ message }) => /call stack|stack overflow/i.test(message));
    if (tooDeep) return { document, problems: [locate(tooDeep.pos[0], 'is nested too deep')] };
    const problems = errors
      .slice(0, maxProblems)
      .map(({ message, pos: [offset] }) => locate(offset, message));
    // The tree of invalid YAML may be incomplete.
    if (problems.length > 0) return { document, problems };
    let lastOffset = 0;
    try {
      checkAliases(document, (offset) => {
        lastOffset = offset;
      });
      return { document, value: document.toJS({ maxAliasCount: maxAliases }), problems };
    } catch (error) {
      // The library has only a limit for aliases, and merge keys that aren't maps.
      const message = error instanceof ReferenceError ? tooManyMessage : (error as Error).message;
      return { document, problems: [locate(lastOffset, message)] };
    }
  });
}

const tooManyMessage = 'repeats the same content through anchors too often';

/** Calls `onAlias` with the offset of each alias. Throws for one that has no anchor before it, or is inside of it. */
function checkAliases(document: Document, onAlias: (offset: number) => void): void {
  const anchors = new Map<string, unknown>();
  let count = 0;
  visit(document, {
    Alias(_, { source, range }, path) {
      onAlias(range?.[0] ?? 0);
      const target = anchors.get(source);
      if (target === undefined) throw new Error(`refers to the anchor ${source}, which isn't set before it`);
      if (path.some((parent) => parent === target))
        throw new Error(`refers to the anchor ${source}, which contains it`);
      if (++count > maxAliases) throw new Error(tooManyMessage);
    },
    Value: (_, node) => void (node.anchor !== undefined && anchors.set(node.anchor, node)),
  });
}
