/** The columns of a file of links, a row each: the record, what it is linked to, and what the link itself holds. */
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import { one } from '../../contract/field.ts';
import { linkFields, type Operation, type OperationLink, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Column, commandColumn, reasonColumn } from '../../tables/columns/columns.ts';

export interface LinkColumns {
  link: OperationLink;
  set: Operation;
  /** The record that has the links, by what people call it and by its id. */
  own: readonly [Column, Column];
  /** What it is linked to, likewise. */
  other: readonly [Column, Column];
  /** What the link holds: `cost`. */
  held: readonly Column[];
  remarks: readonly Column[];
}

/** The words that tell the links of a resource apart: `item`. */
export function linkWords(resource: Resource): string[] {
  return linksOf(resource).map(({ link }) => link?.suffix ?? '');
}

/** Throws a usage failure that names the links that there are. */
export function linkColumns(resource: Resource, word: string | undefined): LinkColumns {
  const set = linksOf(resource).find(({ link }) => link?.suffix === word);
  const link = set?.link;
  const field = link && resource.fields[link.field];
  if (!set || !link || !field) {
    const words = linkWords(resource);
    const said = word === undefined ? 'Say which links' : `${resource.command} have no links "${word}"`;
    throw usage(`${said}.${didYouMean(word ?? '', words)}`, { hint: `Links: ${words.join(', ')}.` });
  }
  return {
    link,
    set,
    own: relation(resource.one.replaceAll('-', '_'), resource.name),
    other: relation(link.suffix.replaceAll('-', '_'), field.traits.target ?? ''),
    held: linkFields(field).map((entry) => ({
      name: entry.name,
      role: 'value',
      field: entry.field,
      shown: entry.shown,
      create: entry,
      update: entry,
      isById: false,
      isExported: true,
    })),
    remarks: [commandColumn, reasonColumn].map((name) => ({
      name,
      role: name === commandColumn ? 'command' : 'remark',
      shown: name,
      isById: false,
      isExported: false,
    })),
  };
}

export function allColumns({ own, other, held, remarks }: LinkColumns): Column[] {
  return [...own, ...other, ...held, ...remarks];
}

function linksOf(resource: Resource): Operation[] {
  return operations(resource).filter(({ effect }) => effect === 'link');
}

function relation(name: string, target: string): [Column, Column] {
  const field = one(target);
  const entry = { name: `${name}_id`, shown: name, field, isRequired: true, mustBeGiven: true };
  const column: Column = {
    name,
    role: 'value',
    field,
    shown: name,
    create: entry,
    update: entry,
    isById: false,
    isExported: true,
  };
  return [column, { ...column, name: `${name}_id`, isById: true }];
}
