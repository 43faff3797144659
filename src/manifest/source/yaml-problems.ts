/** Describes syntax errors of the YAML parser: the location, and whether the rest of the tree is reliable. */
import type { Document, YAMLError } from 'yaml';

/** A part of a text that can't be parsed. */
export interface YamlProblem {
  offset: number;
  /** The message, as `Mistake` has it. */
  what: string;
  /** Whether the problem makes only the node at the offset unreadable. */
  isLocal: boolean;
}

/** The codes of problems that make a single node unreadable. */
const localCodes = new Set<string>([
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'BLOCK_AS_IMPLICIT_KEY',
  'TAG_RESOLVE_FAILED',
]);

/** Returns the syntax errors, at most one for each offset. */
export function yamlProblems(text: string, documents: readonly Document[]): YamlProblem[] {
  const found = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings.filter(isOfUnknownTag)]);
  const variable = found.find(({ pos: [offset] }) => text.startsWith('${', offset - 1))?.pos[0];
  if (variable === undefined) return firstPerOffset(found.map(toProblem));
  // The bracket of the variable causes all later errors.
  const before = found.filter(({ pos: [offset] }) => offset < variable);
  const what = `is a variable in brackets, where YAML needs quotes: "$\{…}"`;
  return firstPerOffset([...before.map(toProblem), { offset: variable - 1, what, isLocal: false }]);
}

/** Removes further problems at the same offset: one missing bracket causes several. */
function firstPerOffset(problems: readonly YamlProblem[]): YamlProblem[] {
  const byOffset = new Map<number, YamlProblem>();
  for (const each of problems) {
    const known = byOffset.get(each.offset);
    if (!known) byOffset.set(each.offset, each);
    else if (!each.isLocal) known.isLocal = false;
  }
  return [...byOffset.values()];
}

function toProblem(error: YAMLError): YamlProblem {
  return { offset: error.pos[0], what: messageOf(error), isLocal: localCodes.has(error.code) };
}

const unknownTag = /^Unresolved tag: (.+)$/;

/**
 * Returns whether a warning is about an unknown tag: the tag is meant for another tool, and its value would be sent
 * as it is.
 */
function isOfUnknownTag({ message }: YAMLError): boolean {
  return unknownTag.test(message);
}

function messageOf({ code, message }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; YAML needs spaces';
  const first = message.split('\n')[0] ?? message;
  const [, tag] = unknownTag.exec(first) ?? [];
  if (tag !== undefined) return `has the unknown tag ${tag}`;
  return `can't be read as YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
