/** Checks that every claim in test/claims/ and test/soak/README.md names a test that exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = ['test/claims/security.md', 'test/claims/reliability.md', 'test/soak/README.md'].map((page) =>
  readFileSync(join(root, page), 'utf8'),
);

interface Claim {
  claim: string;
  proofs: { file: string; title: string }[];
}

/** The rows of the tables that have a column for tests. */
const claims: Claim[] = pages
  .flatMap((page) => page.split('\n'))
  .filter((line) => /^\| .*`test\//.test(line))
  .map((line) => {
    const [claim = '', testCell = ''] = line.split(' | ');
    const proofs = testCell.split(/; (?=`)/).flatMap((part) => {
      const file = /`(test\/[\w./-]+)`/.exec(part)?.[1] ?? '';
      return [...part.matchAll(/“([^”]*)”/g)].map(([, title = '']) => ({ file, title }));
    });
    return { claim: claim.slice(2), proofs };
  });

test('every row of a table of claims names a test', () => {
  const sections = pages
    .flatMap((page) => page.split(/^## /m))
    .filter((section) => section.includes('| claim | test |'));
  const rows = sections.flatMap((section) =>
    section.split('\n').filter((line) => /^\| (?!claim)\S/.test(line)),
  );
  expect(sections.length).toBeGreaterThan(3);
  expect(claims.length).toBe(rows.length);
  expect(claims.filter(({ proofs }) => proofs.length === 0)).toEqual([]);
});

describe.each(claims)('$claim', ({ proofs }) => {
  test.each(proofs)('$file: $title', ({ file, title }) => {
    expect(existsSync(join(root, file)), `${file} doesn't exist`).toBe(true);
    const text = readFileSync(join(root, file), 'utf8');
    // The title can be in any quotes.
    const hasTest = ["'", "\\'"].some((apostrophe) => {
      const quotedTitle = title.replaceAll("'", apostrophe);
      return ["'", '"', '`'].some((quote) => text.includes(quote + quotedTitle + quote));
    });
    expect(hasTest, `${file} has no test “${title}”`).toBe(true);
  });
});
