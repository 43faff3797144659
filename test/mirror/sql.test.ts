import { expect, test } from 'vitest';
import { identifier, joinSql, sql, where } from '../../src/mirror/stores/sql.ts';

test('sql: values become parameters of each engine, in order', () => {
  const part = sql`${identifier('a"b', 'id')} IN ${['x', "'; DROP TABLE t"]}`;
  const whole = sql`SELECT ${1}${where([part, sql`n > ${null}`])} LIMIT ${20}`;
  expect(whole.textFor('sqlite')).toBe('SELECT ? WHERE "a""b"."id" IN (?, ?) AND n > ? LIMIT ?');
  expect(whole.textFor('postgres')).toBe('SELECT $1 WHERE "a""b"."id" IN ($2, $3) AND n > $4 LIMIT $5');
  expect(whole.values).toEqual([1, 'x', "'; DROP TABLE t", null, 20]);
});

test('sql: empty lists, parts without values and single parts give valid SQL', () => {
  const text = (part: ReturnType<typeof sql>) => part.textFor('sqlite');
  expect(text(sql`id IN ${[]}`)).toBe('id IN ()');
  expect(text(sql`SELECT 1${where([])}`)).toBe('SELECT 1');
  expect(text(joinSql([identifier('one')], ', '))).toBe('"one"');
});
