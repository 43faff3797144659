/**
 * Imports generated files with titles, blank rows, text marks, formats and encodings around known tables. Each is read
 * as it is, or refused with the row or the flag that helps, and then read with the flags; none is read differently.
 */
import { expect, test } from 'vitest';
import { type Imported, openImportSandbox } from '../bulk/import-sandbox.ts';
import { type MessyFile, messyFile } from '../harness/messy/files.ts';
import { isSoak, repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';

const firstSeed = isSoak ? Number(process.env.SOAK_SEED ?? 1) : 1;

/** Returns `read`, `refused`, or how a dry run differs from the right values. */
function readingOf(file: MessyFile, { exitCode, rows }: Imported): string {
  if (exitCode === 2) return 'refused';
  const values = rows.map(({ changes }) =>
    Object.fromEntries(Object.entries(changes ?? {}).map(([field, { to }]) => [field, to])),
  );
  const difference = firstDifference(values, file.records);
  if (exitCode !== 0 || difference !== undefined) return `is read differently, ${difference}`;
  return file.damagedLine === undefined ? 'read' : 'is read with its damaged cell';
}

function firstDifference(values: readonly object[], records: readonly object[]): string | undefined {
  const sorted = (record: object = {}) => JSON.stringify(Object.entries(record).sort());
  const length = Math.max(values.length, records.length);
  const index = Array.from({ length }).findIndex((_, row) => sorted(values[row]) !== sorted(records[row]));
  return index === -1 ? undefined : `${sorted(values[index])} instead of ${sorted(records[index])}`;
}

test(
  'import: a messy file is read as it is, or refused with the row or the flag that helps',
  async () => {
    const sandbox = openImportSandbox();
    const count = repetitions(40, 2000);
    const dryRun = ({ name, content, resource }: MessyFile, flags: readonly string[]) =>
      sandbox.import(name, content, [resource, ...flags, '--mode', 'create', '--dry-run']);
    const failures: string[] = [];
    let read = 0;
    for (let index = 0; index < count; index++) {
      const file = messyFile(firstSeed + index);
      const result = await dryRun(file, file.flags);
      const fail = (what: string) =>
        failures.push(`${file.name} ${what}: ${file.description}\n${result.stderr.slice(-600)}`);
      const reading = readingOf(file, result);
      if (reading === 'read') read++;
      if (reading === 'read') continue;
      if (reading !== 'refused') fail(reading);
      else if (!/--[a-z]|line \d/.test(result.stderr)) fail('is refused without help');
      else {
        const again = await dryRun(file, file.allFlags);
        const isNamed = again.rows.some(({ line, error }) => error && line === file.damagedLine);
        if (file.damagedLine !== undefined && !isNamed) fail(`is refused without line ${file.damagedLine}`);
        if (file.damagedLine === undefined && readingOf(file, again) !== 'read')
          fail(`isn't read with ${file.allFlags.join(' ')}`);
      }
    }
    reportTried({ tried: `${count} messy files, ${read} read as they are`, seed: firstSeed });
    expect(failures.join('\n')).toBe('');
    expect(read / count).toBeGreaterThan(0.9);
  },
  repetitionsTimeoutMs,
);
