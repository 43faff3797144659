/**
 * Imports of random values, in every format and mode: each row becomes one record, the same file again changes
 * nothing, and an undo restores the records.
 */
import { expect, test } from 'vitest';
import { normalizeKey, similarKey } from '../../src/api/contract/normalize-key.ts';
import { api } from '../../src/api/resources/index.ts';
import { fc } from '../harness/fast-check.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

interface Supplier {
  id: string;
  name: string;
  code: string;
  contact_name: string;
  phone: string;
  email: string;
}

const fields = ['code', 'name', 'contact_name', 'phone', 'email'] as const;
type Row = Record<(typeof fields)[number], string>;

const suppliers = api.resource('suppliers');
const normalize = (field: string, text: string) => normalizeKey(suppliers?.fields[field], text);

const similar = ({ code }: Pick<Row, 'code'>) => similarKey(suppliers?.fields.code, code);

/** Values that occur in spreadsheets, and values that other programs fail on. */
const texts = fc
  .oneof(
    fc.constantFrom(
      ...[
        'Fresh Farms',
        'مزارع الخضار',
        'Café',
        'Cafe\u0301',
        '=1+1',
        '+966',
        '-1',
        '@home',
        '007',
        '1e5',
        '0.10',
      ],
      ...[
        'a;b',
        'a,b',
        'a\tb',
        'say "hi"',
        "it's",
        'two\nlines',
        'TRUE',
        'null',
        '\\N',
        'a=b',
        '12:30',
        '2026-01-02',
      ],
      ...[
        '😀',
        'x'.repeat(200),
        'ＡＢＣ',
        'I\u0307',
        'ß',
        '{"a":1}',
        '[1]',
        '#',
        '1,5',
        '٥٥',
        'نـور',
        'dot.',
        '\\',
        '\\\\N',
      ],
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .map((text) => text.replaceAll(/(?!\n)\p{Cc}/gu, ' ').trim() || 'blank');

const codes = fc.oneof(
  fc.constantFrom('A-1', 'a-1', '007', '7', 'أ-1', 'ا-1', 'Ü', 'ü', 'B 2', 'C,3', 'D;4', 'É', 'ـ1'),
  fc.stringMatching(/^[A-Za-z0-9]{1,6}$/),
);

const row = fc.record({
  code: codes,
  name: texts,
  contact_name: texts,
  phone: fc.stringMatching(/^[0-9]{5,12}$/),
  email: fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.(com|org)$/),
}) as fc.Arbitrary<Row>;

const rows = fc.uniqueArray(row, {
  minLength: 1,
  maxLength: 6,
  selector: similar,
});

/** Returns the rows whose code isn't another spelling of one in the file: boh would match or refuse that one. */
const withoutSpellings = (before: readonly Row[], imported: readonly Row[]) =>
  before.filter(({ code }) =>
    imported.every(
      (other) =>
        normalize('code', other.code) === normalize('code', code) || similar(other) !== similar({ code }),
    ),
  );

const formatCell = (text: string, separator: string) =>
  text.includes(separator) || /["\n\r]/.test(text) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;

const formatSeparated = (separator: string) => (rows: readonly Row[]) =>
  [fields, ...rows.map((row) => fields.map((field) => row[field]))]
    .map((cells) => cells.map((text) => formatCell(text, separator)).join(separator))
    .join('\n');

/** Functions that format records as a file, by file name. */
const formatters: Record<string, (rows: readonly Row[]) => string> = {
  'a.csv': formatSeparated(','),
  'b.csv': formatSeparated(';'),
  'a.tsv': formatSeparated('\t'),
  'a.ndjson': (rows) => rows.map((row) => JSON.stringify(row)).join('\n'),
  'a.json': (rows) => JSON.stringify(rows),
};

const piped = ['a.json', 'a.ndjson'];

interface ResultRow {
  action: string;
  key: string;
}

const parseRows = (stdout: string): ResultRow[] =>
  stdout.startsWith('[')
    ? JSON.parse(stdout)
    : stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));

test('import: each row becomes one record, a second import changes nothing, and undo and redo reverse each other', () =>
  fc.assert(
    fc.asyncProperty(
      rows,
      rows,
      fc.constantFrom(...Object.keys(formatters)),
      fc.constantFrom('upsert', 'create'),
      fc.boolean(),
      async (before, importedRows, name, mode, isPiped) => {
        const workspace = await openManifestWorkspace({ isEmpty: true });
        const readSuppliers = async () => {
          const listedSuppliers = await workspace.json<Supplier[]>('suppliers list --all');
          return listedSuppliers
            .map(({ id, ...rest }) => [id, ...fields.map((field) => rest[field] ?? null)])
            .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
        };
        const existing = withoutSpellings(before, importedRows).filter(
          ({ code }) =>
            mode === 'upsert' ||
            importedRows.every((row) => normalize('code', row.code) !== normalize('code', code)),
        );
        if (existing.length > 0) {
          workspace.write('before.json', JSON.stringify(existing));
          const createResult = await workspace.boh(
            'suppliers import @/before.json --mode create --yes -o json',
          );
          expect([
            createResult.exitCode,
            createResult.exitCode === 0 ? '' : createResult.stderr + createResult.stdout,
          ]).toEqual([0, '']);
        }
        const suppliersBefore = await readSuppliers();
        const text = formatters[name]?.(importedRows) ?? '';
        const file = workspace.write(name, text);
        // Piped input has the format of the output.
        const isFromStdin = isPiped && piped.includes(name);
        const output = isFromStdin && name === 'a.ndjson' ? 'ndjson' : 'json';
        const line = `suppliers import ${isFromStdin ? '-' : file} --key code --mode ${mode} --yes -o ${output}`;
        const importResult = await workspace.boh(line, isFromStdin ? text : undefined);
        // Ambiguous text in a CSV cell is refused, and nothing is sent.
        if (importResult.exitCode === 2) {
          expect(await readSuppliers()).toEqual(suppliersBefore);
          return;
        }
        expect([importResult.exitCode, importResult.exitCode === 0 ? '' : importResult.stderr]).toEqual([
          0,
          '',
        ]);
        const after = await readSuppliers();
        for (const imported of importedRows) {
          const matches = after.filter(
            ([, code]) => normalize('code', String(code)) === normalize('code', imported.code),
          );
          expect(matches).toHaveLength(1);
          const isCompared = name.includes('json') || !fields.some((field) => imported[field] === '\\N');
          if (isCompared)
            for (const [index, field] of fields.entries())
              expect(normalize(field, String(matches[0]?.[index + 1]))).toBe(
                normalize(field, imported[field]),
              );
        }
        expect(after).toHaveLength(
          new Set([...existing, ...importedRows].map(({ code }) => normalize('code', code))).size,
        );
        if (mode === 'upsert') {
          const repeatResult = await workspace.boh(line, isFromStdin ? text : undefined);
          expect(parseRows(repeatResult.stdout).map(({ action }) => action)).toEqual(
            importedRows.map(() => 'skip'),
          );
          expect(await readSuppliers()).toEqual(after);
        }
        const changed = parseRows(importResult.stdout).some(({ action }) => action !== 'skip');
        if (!changed) return;
        const undoResult = await workspace.boh('undo --last --yes -o json');
        expect([
          undoResult.exitCode,
          undoResult.exitCode === 0 ? '' : undoResult.stderr + undoResult.stdout,
        ]).toEqual([0, '']);
        expect(await readSuppliers()).toEqual(suppliersBefore);
        const redoResult = await workspace.boh('redo --yes -o json');
        expect([
          redoResult.exitCode,
          redoResult.exitCode === 0 ? '' : redoResult.stderr + redoResult.stdout,
        ]).toEqual([0, '']);
        expect(await readSuppliers()).toEqual(after);
      },
    ),
    { numRuns: 30 },
  ));

test('undo: skips what someone has changed since and undoes the rest; a second undo changes nothing', () =>
  fc.assert(
    fc.asyncProperty(
      rows,
      rows,
      fc.nat(),
      fc.constantFrom('name', 'contact_name', 'phone'),
      async (before, importedRows, index, field) => {
        const workspace = await openManifestWorkspace({ isEmpty: true });
        const readSuppliers = async () => {
          const listedSuppliers = await workspace.json<Supplier[]>('suppliers list --all');
          return new Map(listedSuppliers.map((supplier) => [supplier.id, supplier]));
        };
        workspace.write('before.json', JSON.stringify(withoutSpellings(before, importedRows)));
        await workspace.boh('suppliers import @/before.json --mode create --yes -o json');
        const suppliersBefore = await readSuppliers();
        workspace.write('a.json', JSON.stringify(importedRows));
        const importResult = await workspace.boh('suppliers import @/a.json --key code --yes -o json');
        expect(importResult.exitCode).toBe(0);
        const [run] = await workspace.json<{ id: string }[]>('runs list');
        const after = await readSuppliers();
        const id = [...after.keys()][index % after.size] ?? '';
        const changedResult = await workspace.boh(
          `suppliers update ${id} --${field.replace('_', '-')}=5550001234567`,
        );
        expect(changedResult.exitCode).toBe(0);
        const undoResult = await workspace.boh(`undo ${run?.id} --yes -o json`);
        expect([0, 2, 9]).toContain(undoResult.exitCode);
        const end = await readSuppliers();
        const expected = { ...(suppliersBefore.get(id) ?? after.get(id)), [field]: '5550001234567' };
        const fieldValues = (record: Partial<Supplier> | undefined) =>
          record && fields.map((field) => record[field] ?? null);
        // Records that the run has created and someone has changed since stay as they are.
        expect(fieldValues(end.get(id))).toEqual(fieldValues(expected));
        for (const [otherId, record] of suppliersBefore)
          if (otherId !== id) expect(fieldValues(end.get(otherId))).toEqual(fieldValues(record));
        for (const other of end.keys()) expect(suppliersBefore.has(other) || other === id).toBe(true);
        await workspace.boh(`undo ${run?.id} --yes -o json`);
        expect([...(await readSuppliers()).values()].map(fieldValues)).toEqual(
          [...end.values()].map(fieldValues),
        );
      },
    ),
    { numRuns: 20 },
  ));
