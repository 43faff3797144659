/** What the library that reads YAML has against a text, in the words of people who write manifests. */
import type { Document, YAMLError } from 'yaml';

export interface YamlProblem {
  offset: number;
  /** As `Mistake` has it. */
  what: string;
}

export function yamlProblems(text: string, documents: readonly Document[]): YamlProblem[] {
  const found = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings.filter(isOfUnknownTag)]);
  const variable = found.find(({ pos: [offset] }) => text.startsWith('${', offset - 1))?.pos[0];
  if (variable === undefined) return found.map(toProblem);
  // What is said from there on comes of its bracket.
  const before = found.filter(({ pos: [offset] }) => offset < variable);
  const what = `is a variable among brackets, where YAML wants it in quotes: "$\{…}"`;
  return [...before.map(toProblem), { offset: variable - 1, what }];
}

function toProblem(error: YAMLError): YamlProblem {
  return { offset: error.pos[0], what: inWords(error) };
}

const unknownTag = /^Unresolved tag: (.+)$/;

/** What a tool of its own makes of such a value, boh would send as it is written. */
function isOfUnknownTag({ message }: YAMLError): boolean {
  return unknownTag.test(message);
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'is indented by a tab; YAML takes spaces alone';
  if (code === 'DUPLICATE_KEY') return 'stands twice';
  const first = message.split('\n')[0] ?? message;
  const [, tag] = unknownTag.exec(first) ?? [];
  if (tag !== undefined) return `has the tag ${tag}, which boh doesn’t know`;
  return `can’t be read as YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
