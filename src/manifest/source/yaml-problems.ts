/** Describes what the YAML parser refuses: where it is, and how much of the tree it spoils. */
import type { Document, YAMLError } from 'yaml';

/** A part of a text that can't be parsed. */
export interface YamlProblem {
  offset: number;
  /** The message, as `Mistake` has it. */
  what: string;
  /** Whether the problem spoils only the node at the offset. */
  isLocal: boolean;
}

/** The codes of problems that spoil a single node. */
const localCodes = new Set<string>([
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'BLOCK_AS_IMPLICIT_KEY',
  'TAG_RESOLVE_FAILED',
]);

/** Returns what the parser refused, one problem for each offset. */
export function yamlProblems(text: string, documents: readonly Document[]): YamlProblem[] {
  const found = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings.filter(isOfUnknownTag)]);
  const variable = found.find(({ pos: [offset] }) => text.startsWith('${', offset - 1))?.pos[0];
  if (variable === undefined) return firstAtEach(found.map(toProblem));
  // The bracket of the variable causes all later errors.
  const before = found.filter(({ pos: [offset] }) => offset < variable);
  const what = `is a variable in brackets, where YAML needs quotes: "$\{…}"`;
  return firstAtEach([...before.map(toProblem), { offset: variable - 1, what, isLocal: false }]);
}

/** Leaves out further problems at an offset: one missing bracket causes several. */
function firstAtEach(problems: readonly YamlProblem[]): YamlProblem[] {
  const byOffset = new Map<number, YamlProblem>();
  for (const each of problems) {
    const known = byOffset.get(each.offset);
    if (!known) byOffset.set(each.offset, each);
    else if (!each.isLocal) known.isLocal = false;
  }
  return [...byOffset.values()];
}

function toProblem(error: YAMLError): YamlProblem {
  return { offset: error.pos[0], what: inWords(error), isLocal: localCodes.has(error.code) };
}

const unknownTag = /^Unresolved tag: (.+)$/;

/**
 * Returns whether a warning is about an unknown tag: the tag is meant for another tool, and its value would be sent
 * as it is.
 */
function isOfUnknownTag({ message }: YAMLError): boolean {
  return unknownTag.test(message);
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; YAML needs spaces';
  const first = message.split('\n')[0] ?? message;
  const [, tag] = unknownTag.exec(first) ?? [];
  if (tag !== undefined) return `has the tag ${tag}, which boh doesn't know`;
  return `can't be read as YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
