/** Names of files that some system can't check out: Windows refuses characters and words, and sees no upper case. */

/** Names of devices on Windows, whatever follows their first dot. */
const devices = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/** Returns a sentence for each path that can't be checked out everywhere. Paths are relative, with `/` between names. */
export function fileNameProblems(paths: readonly string[]): string[] {
  return [
    ...paths.flatMap((path) => path.split('/').flatMap((name) => problemsOf(name, path))),
    ...sameOnOtherSystems(paths),
  ];
}

function problemsOf(name: string, path: string): string[] {
  const broken = [
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses them.
    /[:*?"<>|\\\u0000-\u001f]/.test(name) && 'has a character that Windows allows in no name',
    /[. ]$/.test(name) && 'ends with a dot or a blank, which Windows drops',
    devices.test(name) && 'has the name of a device on Windows',
  ];
  return broken.filter((problem) => problem !== false).map((problem) => `${path} ${problem}.`);
}

/** Also of folders: two that differ in case only become one. */
function sameOnOtherSystems(paths: readonly string[]): string[] {
  const entries = new Set(paths.flatMap(withFolders));
  const seen = new Map<string, string>();
  return [...entries].flatMap((entry) => {
    const folded = entry.normalize('NFC').toLowerCase();
    const other = seen.get(folded);
    seen.set(folded, entry);
    return other === undefined ? [] : [`${entry} and ${other} are one file on Windows and macOS.`];
  });
}

function withFolders(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
