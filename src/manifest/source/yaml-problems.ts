/** Describes syntax errors of the YAML parser: the location, and whether the rest of the tree is reliable. */
import type { Document, YAMLError } from 'yaml';

/** A part of a file that can't be parsed. */
export interface YamlProblem {
  offset: number;
  /** The message, as `Mistake` has it. */
  message: string;
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
  const errors = documents.flatMap((document) => [
    ...document.errors,
    ...document.warnings.filter(isUnknownTag),
  ]);
  const variableOffset = errors.find(({ pos: [offset] }) => text.startsWith('${', offset - 1))?.pos[0];
  if (variableOffset === undefined) return firstPerOffset(errors.map(toProblem));
  // The bracket of the variable causes all later errors.
  const earlierErrors = errors.filter(({ pos: [offset] }) => offset < variableOffset);
  const message = `is a variable in brackets, where YAML needs quotes: "$\{…}"`;
  return firstPerOffset([
    ...earlierErrors.map(toProblem),
    { offset: variableOffset - 1, message, isLocal: false },
  ]);
}

/** Removes further problems at the same offset: one missing bracket causes several. */
function firstPerOffset(problems: readonly YamlProblem[]): YamlProblem[] {
  const byOffset = new Map<number, YamlProblem>();
  for (const problem of problems) {
    const existing = byOffset.get(problem.offset);
    if (!existing) byOffset.set(problem.offset, problem);
    else if (!problem.isLocal) existing.isLocal = false;
  }
  return [...byOffset.values()];
}

function toProblem(error: YAMLError): YamlProblem {
  return { offset: error.pos[0], message: messageOf(error), isLocal: localCodes.has(error.code) };
}

const unknownTag = /^Unresolved tag: (.+)$/;

/**
 * Returns whether a warning is about an unknown tag: the tag is meant for another tool, and its value would be sent
 * as it is.
 */
function isUnknownTag({ message }: YAMLError): boolean {
  return unknownTag.test(message);
}

function messageOf({ code, message }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; YAML needs spaces';
  const firstLine = message.split('\n')[0] ?? message;
  const [, tag] = unknownTag.exec(firstLine) ?? [];
  if (tag !== undefined) return `has the unknown tag ${tag}`;
  return `can't be read as YAML: ${firstLine.charAt(0).toLowerCase()}${firstLine.slice(1)}`;
}
