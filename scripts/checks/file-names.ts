/** Finds file names that can't be checked out on every system, for example names that Windows doesn't allow. */

/** Reserved device names on Windows, with any extension. */
const deviceNames = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/** Returns a message for each path that can't be checked out everywhere. Paths are relative and use `/`. */
export function fileNameProblems(paths: readonly string[]): string[] {
  return [
    ...paths.flatMap((path) => path.split('/').flatMap((name) => problemsOf(name, path))),
    ...caseCollisions(paths),
  ];
}

function problemsOf(name: string, path: string): string[] {
  const messages = [
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows doesn't allow them.
    /[:*?"<>|\\\u0000-\u001f]/.test(name) && 'has a character that Windows does not allow in names',
    /[. ]$/.test(name) && 'ends with a dot or a space, which Windows removes',
    deviceNames.test(name) && 'has a reserved device name on Windows',
  ];
  return messages.filter((message) => message !== false).map((message) => `${path} ${message}.`);
}

/** Reports files and folders whose names differ only in case. */
function caseCollisions(paths: readonly string[]): string[] {
  const entries = new Set(paths.flatMap(pathWithFolders));
  const entryByFoldedName = new Map<string, string>();
  return [...entries].flatMap((entry) => {
    const folded = entry.normalize('NFC').toLowerCase();
    const otherEntry = entryByFoldedName.get(folded);
    entryByFoldedName.set(folded, entry);
    return otherEntry === undefined
      ? []
      : [`${entry} and ${otherEntry} are the same file on Windows and macOS.`];
  });
}

function pathWithFolders(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
