import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { FormatName } from '../../../src/account/settings/format-names.ts';
import type { Values } from '../../../src/cli/terminal/formats/format.ts';
import { findFormat, formats } from '../../../src/cli/terminal/formats/index.ts';
import { json as jsonFormat } from '../../../src/cli/terminal/formats/json.ts';
import { yaml as yamlFormat } from '../../../src/cli/terminal/formats/yaml.ts';
import { fc } from '../../harness/fast-check.ts';
import { dangerous, hostileTexts } from '../fake-streams.ts';

const programFormats = formats.filter(({ isForPeople }) => !isForPeople).map(({ name }) => name);

function openFormat(name: FormatName, options = {}) {
  const format = findFormat(name);
  if (!format) throw new Error(`no format ${name}`);
  return format.open(options);
}

async function listText(name: FormatName, values: Values, options = {}): Promise<string> {
  const writer = await openFormat(name, options);
  let text = '';
  for await (const chunk of writer.formatList(values)) text += chunk;
  return text;
}

async function valueText(name: FormatName, value: unknown, options = {}): Promise<string> {
  return (await openFormat(name, options)).formatValue(value);
}

const records = [
  { id: 'a1', name: 'مزارع', cost: -2.5, tags: [{ id: 't1' }] },
  { id: 'b2', name: null, cost: 3, tags: [] },
];

async function* failingSource() {
  yield records[0];
  throw new Error('The connection broke.');
}

describe('list', () => {
  test('as JSON: equals JSON.stringify, though it is written record by record', async () => {
    expect(await listText('json', records)).toBe(`${JSON.stringify(records, null, 2)}\n`);
    expect(await listText('json', [])).toBe('[]\n');
    const json = await jsonFormat.open();
    const first = await json.formatList(failingSource())[Symbol.asyncIterator]().next();
    expect(first.value).toContain('"a1"');
  });

  test('as NDJSON: has one record in each line', async () => {
    expect(await listText('ndjson', records)).toBe(
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
    expect(await listText('ndjson', [])).toBe('');
  });

  test('as YAML: is a sequence', async () => {
    expect(await listText('yaml', records)).toBe(
      '- id: a1\n  name: مزارع\n  cost: -2.5\n  tags:\n    - id: t1\n- id: b2\n  name: null\n  cost: 3\n  tags: []\n',
    );
    expect(await listText('yaml', [])).toBe('[]\n');
  });

  test('as ids: has one id in each line', async () => {
    expect(await listText('id', records)).toBe('a1\nb2\n');
    expect(await listText('id', ['x', 5])).toBe('x\n5\n');
  });

  test.each(programFormats)(
    'a source that fails: the list as %s is rejected with its error',
    async (name) => {
      const options = { columns: [{ name: 'id' }] };
      await expect(listText(name, failingSource(), options)).rejects.toThrow('The connection broke.');
    },
  );
});

describe('single value', () => {
  test.each([
    ['json', '{\n  "id": "a1",\n  "cost": 1\n}\n'],
    ['ndjson', '{"id":"a1","cost":1}\n'],
    ['csv', 'id,cost\r\na1,1\r\n'],
    ['yaml', 'id: a1\ncost: 1\n'],
    ['markdown', '| id | cost |\n| --- | --- |\n| a1 | 1 |\n'],
    ['id', 'a1\n'],
  ] as const)('as %s: has the text of this format', async (name, text) => {
    expect(await valueText(name, { id: 'a1', cost: 1 })).toBe(text);
  });

  test.each([
    ['json', 'null\n'],
    ['ndjson', 'null\n'],
    ['csv', 'value\r\n\r\n'],
    ['yaml', 'null\n'],
    ['id', '\n'],
  ] as const)('null as %s: has the text of this format', async (name, text) => {
    expect(await valueText(name, null)).toBe(text);
    expect(await valueText(name, undefined)).toBe(text);
  });
});

describe('text of the service', () => {
  const hostileRecords = Object.values(hostileTexts).map((name, index) => ({
    id: `i${index}`,
    name,
    [name]: name,
  }));

  test.each(formats.map(({ name }) => name))("as %s: can't control a terminal", async (name) => {
    const listOutput = await listText(name, hostileRecords, { terminal: true });
    const valueOutput = await valueText(
      name,
      { id: Object.values(hostileTexts).join('') },
      { terminal: true },
    );
    expect((listOutput + valueOutput).replaceAll(/\r?\n/g, '')).not.toMatch(dangerous);
  });

  test('in JSON: is escaped on a terminal with the same value, and unchanged elsewhere', async () => {
    const terminalText = await listText('json', hostileRecords, { terminal: true });
    expect(JSON.parse(terminalText)).toEqual(hostileRecords);
    expect(await listText('json', hostileRecords)).toBe(`${JSON.stringify(hostileRecords, null, 2)}\n`);
  });

  test('any text: has the same value when JSON and YAML are parsed', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        fc.constantFrom('\x1b', '\x9b', '\u{202e}', '\n', '\r', '\u{2028}', "'", '"', ':', '#', '- ', '~'),
      ),
    });
    const value = fc.dictionary(
      text,
      fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
        fc.boolean(),
        fc.constant(null),
      ),
      { noNullPrototype: true },
    );
    const [json, yaml] = [await jsonFormat.open({ terminal: true }), await yamlFormat.open()];
    fc.assert(
      fc.property(value, (record) => {
        expect(JSON.parse(json.formatValue(record))).toEqual(JSON.parse(JSON.stringify(record)));
        expect(parseYaml(yaml.formatValue(record))).toEqual(JSON.parse(JSON.stringify(record)));
      }),
      { numRuns: 500 },
    );
  });

  test.each(['no', 'on', '2024-01-01', '1_000', '0o7', '12:30:45'])(
    'YAML text %s: is quoted for YAML 1.1 parsers',
    async (word) => {
      expect(await valueText('yaml', { word })).toBe(`word: "${word}"\n`);
    },
  );
});
