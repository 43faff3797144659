/** Reads and changes CHANGELOG.md, which has a section for each version: https://keepachangelog.com/en/1.1.0/ */

const unreleased = '## [Unreleased]';

/** Returns the text of a section without its title; undefined if there is none. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const start = changelog.search(new RegExp(`^## \\[${RegExp.escape(version)}\\]`, 'm'));
  if (start < 0) return undefined;
  const sectionAndFollowing = changelog.slice(start).replace(/^.*\n?/, '');
  const end = sectionAndFollowing.search(/^## \[/m);
  return (end < 0 ? sectionAndFollowing : sectionAndFollowing.slice(0, end)).trim();
}

/** Returns the changelog with the unreleased changes under a version. Throws if there are none, or if the version exists. */
export function releaseChanges(changelog: string, version: string, date: string): string {
  if (sectionOf(changelog, version) !== undefined)
    throw new Error(`CHANGELOG.md already has a section for ${version}.`);
  const changes = sectionOf(changelog, 'Unreleased');
  if (changes === undefined) throw new Error(`CHANGELOG.md has no section "${unreleased}".`);
  // The section may contain only headings.
  if (!/^[-*] /m.test(changes)) throw new Error('CHANGELOG.md has no unreleased changes.');
  return changelog.replace(unreleased, `${unreleased}\n\n## [${version}] - ${date}`);
}
