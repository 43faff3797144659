/** What a service says of a refusal, whichever of the usual forms it has: docs/reference/deployments.md, "Answers". */
import type { FieldMessages } from '../base/errors.ts';
import { isTooDeep } from './json-text.ts';
import { isRow, type Row } from './shape.ts';

export interface Said {
  /** In the service's own words; empty where it says nothing. */
  message: string;
  fields?: FieldMessages;
}

const longestText = 500;
const mostFields = 100;
const mostMessages = 20;

/** `hide` takes out what no one may see. */
export function saidIn(body: string, hide: (text: string) => string): Said {
  const answer = rowOf(body);
  if (!answer) return { message: '' };
  // {"error": {…}} has all of it one level deeper.
  const inner = isRow(answer.error) ? answer.error : answer;
  const entries = [...fieldEntries(inner.errors), ...fieldEntries(inner.fields), ...problemEntries(inner)];
  const said = [inner.message, textOf(inner.detail), inner.title, answer.error_description, answer.error];
  const alone = entries.length > 0 && entries.every(([name]) => name === '_') ? entries[0]?.[1] : undefined;
  const message =
    said.find((text): text is string => typeof text === 'string' && text !== '') ?? textOf(alone) ?? '';
  return { message: hide(message).slice(0, longestText), ...fieldsFrom(entries, hide) };
}

type Entry = readonly [name: string, said: unknown];

/** `{"name": ["…"]}`, or a list of texts and objects that name their field. */
function fieldEntries(errors: unknown): Entry[] {
  if (isRow(errors)) return Object.entries(errors);
  return Array.isArray(errors) ? errors.map(entryOf) : [];
}

/** Problem details: RFC 9457, and what came before it. */
function problemEntries(problem: Row): Entry[] {
  const listed = [problem['invalid-params'], problem.invalid_params, problem.detail, problem.details];
  return listed.flatMap((list) => (Array.isArray(list) ? list.map(entryOf) : []));
}

function entryOf(error: unknown): Entry {
  if (!isRow(error)) return ['_', error];
  const { source } = error;
  const place = isRow(source) ? (source.pointer ?? source.parameter) : undefined;
  const name = error.field ?? error.name ?? error.param ?? error.pointer ?? error.path ?? error.loc ?? place;
  const said = error.message ?? error.detail ?? error.reason ?? error.msg ?? error.title ?? error.description;
  return [nameOf(name), said ?? error];
}

/** `/data/attributes/name`, `#/name`, `["body", "name"]`: the name of the field. */
function nameOf(place: unknown): string {
  const parts = Array.isArray(place) ? place.map(String) : String(place ?? '').split('/');
  const own = parts.filter((part) => !['', '#', 'data', 'attributes', 'body'].includes(part));
  return own.join('.') || '_';
}

function fieldsFrom(entries: readonly Entry[], hide: (text: string) => string): { fields?: FieldMessages } {
  if (entries.length === 0) return {};
  const fields = new Map<string, string[]>();
  for (const [name, said] of entries) {
    const shown = hide(name);
    if (!fields.has(shown) && fields.size === mostFields) break;
    fields.set(shown, [...(fields.get(shown) ?? []), ...messagesOf(said, hide)].slice(0, mostMessages));
  }
  const rest = new Set(entries.map(([name]) => name)).size - fields.size;
  if (rest > 0) fields.set('_', [...(fields.get('_') ?? []), `and ${rest} more`]);
  return { fields: Object.fromEntries(fields) };
}

function messagesOf(said: unknown, hide: (text: string) => string): string[] {
  return (Array.isArray(said) ? said.slice(0, mostMessages) : [said]).map((message: unknown) =>
    hide(typeof message === 'string' ? message : (JSON.stringify(message) ?? '')).slice(0, longestText),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The body, where it is an object of JSON: an HTML page is as likely. */
function rowOf(body: string): Row | undefined {
  if (isTooDeep(body)) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    return isRow(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
