/** Finds exports of the program without doc comments. */

const exportPattern =
  /^export (?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/;

/** Returns a problem for each export in src without a doc comment above it. Only the first overload needs one. */
export function undocumentedExports(file: string, text: string): string[] {
  if (!/^src\/.*\.ts$/.test(file)) return [];
  const lines = text.split('\n');
  const documented = new Set<string>();
  return lines.flatMap((line, index) => {
    const [, name] = exportPattern.exec(line) ?? [];
    if (name === undefined || documented.has(name)) return [];
    documented.add(name);
    if (lines[index - 1]?.endsWith('*/')) return [];
    return [`${file}:${index + 1}: ${name} has no doc comment.`];
  });
}
