import { expect, test } from 'vitest';
import { identifier, joinSql, sql, where } from '../../src/api/sql/sql.ts';

test('sql: values become parameters of each engine, in order', () => {
  const part = sql`${identifier('a"b', 'id')} IN ${['x', "'; DROP TABLE t"]}`;
  const statement = sql`SELECT ${1}${where([part, sql`n > ${null}`])} LIMIT ${20}`;
  expect(statement.textFor('sqlite')).toBe('SELECT ? WHERE "a""b"."id" IN (?, ?) AND n > ? LIMIT ?');
  expect(statement.textFor('postgres')).toBe('SELECT $1 WHERE "a""b"."id" IN ($2, $3) AND n > $4 LIMIT $5');
  expect(statement.values).toEqual([1, 'x', "'; DROP TABLE t", null, 20]);
});

test('sql: builds valid SQL from empty lists, parts without values and single parts', () => {
  const text = (part: ReturnType<typeof sql>) => part.textFor('sqlite');
  expect(text(sql`id IN ${[]}`)).toBe('id IN ()');
  expect(text(sql`SELECT 1${where([])}`)).toBe('SELECT 1');
  expect(text(joinSql([identifier('one')], ', '))).toBe('"one"');
});
