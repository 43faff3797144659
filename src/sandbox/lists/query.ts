/**
 * Parses the query of a list: filters (`name=x` or `filter[name]=x`), includes, sort and page. Refuses parameters that
 * the contract doesn't have.
 */
import type { Filter } from '../../api/contract/filter.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { OperationCall } from '../context.ts';
import { badRequest } from '../http/message.ts';
import { kinds } from '../kinds.ts';
import { type Include, parseInclude } from '../records/records.ts';

export interface ListQuery {
  filters: readonly FilterValues[];
  sort: readonly Sort[];
  include: Include;
  /** The number of the page, counted from 1. */
  page: number;
  /** The number of rows per page. */
  pageSize: number;
}

/** A filter with its values: a record must match at least one of them. */
export interface FilterValues {
  filter: Filter;
  values: readonly (string | number | boolean)[];
}

export interface Sort {
  fieldName: string;
  isDescending: boolean;
}

/** Parses the query of a list. Throws an `HttpError` for unknown parameters and invalid values. */
export function parseListQuery(
  call: Pick<OperationCall, 'tables' | 'grant' | 'variant'>,
  resource: Resource,
  query: ReadonlyMap<string, string>,
): ListQuery {
  const { variant } = call;
  const filters = new Map(query);
  const take = (name: string) => {
    const text = filters.get(name);
    filters.delete(name);
    return text;
  };
  const [include, sort, page] = [take('include'), take('sort'), take(variant['wire.page_param'])];
  const requestedSize = variant['wire.requests'] === 'lenient' ? take('per_page') : undefined;
  const maxPageSize = variant['wire.page_size'];
  return {
    filters: [...filters].map(([name, value]) => parseFilter(resource, name, value)),
    sort: parseSort(resource, sort),
    include: parseInclude(call, resource, include),
    page: parsePage(page),
    pageSize: Math.min(
      requestedSize === undefined ? maxPageSize : parsePage(requestedSize, 'per_page'),
      maxPageSize,
    ),
  };
}

const bracketPattern = /^filter\[(.*)\]$/;

function parseFilter(resource: Resource, parameter: string, text: string): FilterValues {
  const name = bracketPattern.exec(parameter)?.[1] ?? parameter;
  const filter = resource.filters.find((candidate) => candidate.name === name);
  if (!filter) {
    throw badRequest(
      `Unknown filter ${name}. Filters: ${resource.filters.map((candidate) => candidate.name).join(', ')}.`,
    );
  }
  if (text === '') throw badRequest(`The filter ${name} has no value.`);
  return { filter, values: parseValues(filter, text) };
}

/** Parses the values of a filter. Only `equals` accepts several values, separated by commas. */
function parseValues({ name, match, value: field }: Filter, text: string): FilterValues['values'] {
  if (match === 'contains') return [text];
  const parts = match === 'equals' ? text.split(',') : [text];
  const values = parts.map((part) => kinds[field.kind].fromQuery(part));
  if (values.includes(undefined)) throw badRequest(`The filter ${name} has the invalid value ${text}.`);
  const isText = typeof values[0] === 'string' && parts.length > 1;
  return [...(values as string[]), ...(isText ? [text] : [])];
}

function parseSort({ fields }: Resource, text: string | undefined): Sort[] {
  if (text === undefined) return [];
  return text.split(',').map((part) => {
    const fieldName = part.replace(/^-/, '');
    if (!Object.hasOwn(fields, fieldName) || !fields[fieldName]?.traits.sortable) {
      const sortableNames = Object.keys(fields).filter((name) => fields[name]?.traits.sortable);
      throw badRequest(
        `The list can't be sorted by ${fieldName}. ${sortableNames.length ? `Sortable: ${sortableNames.join(', ')}.` : ''}`.trim(),
      );
    }
    return { fieldName, isDescending: part.startsWith('-') };
  });
}

function parsePage(text = '1', name = 'page'): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw badRequest(`The ${name} must be a number of at least 1, not ${text}.`);
  return Number(text);
}
