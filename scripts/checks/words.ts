/** Finds words that the project doesn't use in code, comments, titles, messages and pages, and suggests the usual term. */

/** Case-insensitive patterns of words, each with the words to use instead. */
const betterWords: [pattern: string, better: string][] = [
  ['anew', 'again, or new'],
  ['whoever', 'the caller, the user, another process'],
  ['somebody(?: else)?', 'someone, another user, another process'],
  ['(?<![@"\'$])nobody(?: else)?(?![-"\'])', 'no one, no caller'],
  ['so many', 'up to n, that many'],
  ['came of (?:it|them|that|this)|what (?:became|becomes|has become) of', 'the outcome, the result'],
  ['(?:is|are|was|were|be|been|being) (?:fore)?told|told of|fore(?:tell|told)\\w*', 'reported, announced'],
  ['tells? (?:of|what|which|whether)', 'reports, shows, describes'],
  ['mend(?:s|ed|ing)?', 'fix'],
  ['lasting', 'irreversible'],
  ['departures?', 'write-ahead'],
  ['haste|discretion', 'urgency, concurrency; redaction'],
  ['lapses', 'missing records'],
  ['(?<!bench:)doubled', 'duplicate'],
  ['twins?', 'duplicate implementation'],
  ['gon?e?(?:es|ing)? on with|went on with', 'resume, continue'],
  ['(?:take|taken|takes|took|taking) (?:it |them )?back', 'undo, undone'],
  ['(?:bring|brought|brings|bringing) (?:it |them )?back', 'restore, restored'],
  ['(?:throw|throws|thrown|threw) (?:it |them )?away', 'delete, discard'],
  ['(?:held|hold|holds|holding) (?:it |them )?against', 'compare with'],
  ['besides|all the same', 'also; still, anyway'],
  ['for good|for ever|as ever', 'permanently, as usual'],
  ['the house(?! account)', 'architecture, part, layer'],
  [
    '(?:mis)?behaviour|colou?red in|customis\\w+|authoris\\w+|recognis\\w+|organis\\w+|cancell(?:ed|ing)',
    'American spelling',
  ],
  ["any ?more|(?:isn't|is not) there", "no longer, doesn't exist"],
  ['pass(?:es|ed) over|goes round|(?<!once )once more(?! rows)', 'ignores, forms a loop, again'],
  ['tells? (?:\\w+ ){1,5}apart', 'identifies, distinguishes'],
  ['stands (?:alone|in|at|beside|under)|may stand', 'is, is set, can be'],
  ['says nothing of|is nothing of|left as it is', "has no, isn't part of, left unchanged"],
  ['already so|power cuts?|look-ups?', 'already match, power failure, lookup'],
  ['the most (?:bytes|characters|entries|items|lines|records|rows|values)', 'the maximum number of'],
  ['(?:called|spelled) otherwise|in the place of|outright', 'renamed, instead of, completely'],
  ['hearken|whence|thereof|heed(?:s|ed)?|hitherto|forthwith|takes? note of|to be had', 'plain English'],
];

const wordPatterns = betterWords.map(
  ([pattern, better]) => [new RegExp(`\\b(?:${pattern})\\b`, 'i'), better] as const,
);

/** Matches the files to check: pages of the reference only if they are written by hand. */
const checkedFiles =
  /^(?:src|test|scripts|bin)\/.*\.(?:ts|js|md)$|^(?:docs\/(?!reference\/(?!scripting|manifests|sandbox-rules|deployments)).*|[A-Z]\w+)\.md$/;

/** Returns a problem for each line with such a word: the file, the line number, the word, and a better one. */
export function quaintWords(file: string, text: string): string[] {
  if (!checkedFiles.test(file) || file === 'scripts/checks/words.ts') return [];
  return text.split('\n').flatMap((line, index) =>
    wordPatterns.flatMap(([pattern, better]) => {
      const match = pattern.exec(line)?.[0];
      return match === undefined ? [] : [`${file}:${index + 1}: "${match}": write ${better}.`];
    }),
  );
}
