/** From an answer to its data, or to a failure that says what happened, to what, and what to do next. */
import type { Operation } from '../contract/operation.ts';
import type { Category, FailureDetails, FieldMessages } from '../errors.ts';
import { Failure } from '../errors.ts';
import type { HttpAnswer } from './transport.ts';

/** One record as the service gives it: fields that the contract doesn't know pass through. */
export type Row = Record<string, unknown>;

export interface Asked {
  method: string;
  /** With its query, as it went out. */
  path: string;
  /** What is asked for, in words: `supplier 42`, `suppliers`. */
  what: string;
  operation?: Operation | undefined;
}

/** The JSON of a success. Throws a Failure for any other status and for bodies that aren't JSON. */
export function jsonOf(answer: HttpAnswer, asked: Asked): unknown {
  throwUnlessOk(answer, asked);
  try {
    return JSON.parse(answer.body) as unknown;
  } catch (cause) {
    throw unexpected(answer, asked, `${shapeOf(answer)} instead of JSON`, cause);
  }
}

/** The record under `data`. */
export function recordOf(answer: HttpAnswer, asked: Asked): Row {
  const body = jsonOf(answer, asked);
  if (isRow(body) && isRow(body.data)) return body.data;
  throw unexpected(answer, asked, 'JSON without a record in it');
}

export interface Page {
  rows: Row[];
  /** The body as it came, for `--raw`. */
  body: string;
  lastPage?: number | undefined;
  total?: number | undefined;
  /** False where the service says so; undefined where it says nothing. */
  hasNext?: boolean | undefined;
}

/** The records under `data`, with what the envelope tells of the rest. The document promises no more than `data`. */
export function pageOf(answer: HttpAnswer, asked: Asked): Page {
  const body = jsonOf(answer, asked);
  if (!isRow(body) || !Array.isArray(body.data) || !body.data.every(isRow)) {
    throw unexpected(answer, asked, 'JSON without a list of records in it');
  }
  const meta = isRow(body.meta) ? body.meta : {};
  const links = isRow(body.links) ? body.links : {};
  return {
    rows: body.data,
    body: answer.body,
    lastPage: typeof meta.last_page === 'number' ? meta.last_page : undefined,
    total: typeof meta.total === 'number' ? meta.total : undefined,
    hasNext: 'next' in links ? links.next !== null : undefined,
  };
}

/** A success whose body says nothing: deletes and restores. */
export function throwUnlessOk(answer: HttpAnswer, asked: Asked): void {
  if (answer.status >= 200 && answer.status < 300) return;
  const category = categoryOf(answer.status);
  const details: FailureDetails = {
    status: answer.status,
    request: { method: asked.method, path: asked.path },
    ...errorBodyOf(answer),
  };
  const { message, hint } = describe(answer, asked, category);
  throw new Failure(category, message, { ...details, ...(hint && { hint }) });
}

function categoryOf(status: number): Category {
  if (status === 401) return 'not_signed_in';
  if (status === 403) return 'not_allowed';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 ? 'refused' : 'unavailable';
}

function describe(answer: HttpAnswer, asked: Asked, category: Category): { message: string; hint?: string } {
  const said = messageOf(answer);
  const quote = said ? ` It says: ${said}` : '';
  switch (category) {
    case 'not_signed_in':
      return {
        message: `The service doesn’t accept the token.${quote}`,
        hint: 'Sign in again with `boh auth login`, or check BOH_TOKEN.',
      };
    case 'not_allowed':
      return { message: `The token may not ${deedOf(asked)}${scopesOf(asked)}.${quote}` };
    case 'not_found':
      return {
        message: `There is no ${asked.what}.`,
        ...(asked.operation?.resource.list && {
          hint: `See what there is: boh ${asked.operation.resource.command} list`,
        }),
      };
    case 'rate_limited': {
      const after = answer.headers['retry-after'];
      return {
        message: 'The service has had too many requests and still refuses more.',
        hint: after ? `Try again in ${after} seconds or later.` : 'Try again in a few minutes.',
      };
    }
    case 'refused':
      return { message: `The service refused to ${deedOf(asked)} (${answer.status}).${quote}` };
    default:
      return answer.status >= 300 && answer.status < 400
        ? {
            message: `The service answers with a redirect (${answer.status})${hostOf(answer)}, which is not followed: it could carry the token elsewhere.`,
            hint: 'If the service has moved, set the new address: `boh config set base_url ADDRESS`.',
          }
        : {
            message: `The service has a fault (${answer.status}).${quote}`,
            hint: 'Try again in a few minutes.',
          };
  }
}

/** "delete supplier 42", as far as it is known. */
function deedOf({ operation, method, what }: Asked): string {
  if (!operation) return `do ${method} on ${what}`;
  const deeds: Partial<Record<Operation['effect'], string>> = {
    list: 'list',
    get: 'show',
    act: operation.verb,
  };
  return `${deeds[operation.effect] ?? operation.verb.replace('-', ' ')} ${what}`;
}

function scopesOf({ operation }: Asked): string {
  return operation && operation.scopes.length > 0
    ? `: it needs the scope ${operation.scopes.join(' or ')}`
    : '';
}

/** The messages of a 422, by field; other statuses may carry them too. */
function errorBodyOf(answer: HttpAnswer): { fields?: FieldMessages } {
  const body = tryJson(answer.body);
  if (!isRow(body) || !isRow(body.errors)) return {};
  const fields = Object.entries(body.errors).map(([name, messages]) => [
    name,
    (Array.isArray(messages) ? messages : [messages]).map(String),
  ]);
  return { fields: Object.fromEntries(fields) as FieldMessages };
}

function messageOf({ body }: HttpAnswer): string | undefined {
  const parsed = tryJson(body);
  return isRow(parsed) && typeof parsed.message === 'string' ? parsed.message.slice(0, 500) : undefined;
}

function hostOf({ headers }: HttpAnswer): string {
  const location = headers.location;
  return location && URL.canParse(location) ? ` to ${new URL(location).host}` : '';
}

function unexpected(answer: HttpAnswer, asked: Asked, what: string, cause?: unknown): Failure {
  return new Failure('unavailable', `The service answered ${answer.status} with ${what}.`, {
    status: answer.status,
    request: { method: asked.method, path: asked.path },
    hint: 'A proxy or a maintenance page may have answered in its place. Check the address: boh config get base_url',
    cause,
  });
}

function shapeOf({ body }: HttpAnswer): string {
  if (body.trim() === '') return 'an empty body';
  return /^\s*<(!doctype|html)/i.test(body) ? 'a web page' : 'something else';
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
