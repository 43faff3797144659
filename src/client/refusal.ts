/** Converts an unsuccessful answer to a failure: what happened, to which record, and what to do next. */
import { type Category, Failure, type FieldMessages } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import { scopesToInclude } from '../contract/include.ts';
import type { Operation } from '../contract/operation.ts';
import { capitalize } from '../contract/wording.ts';
import { maxWaitMs, retryAfterMs, whenToRetry } from './retry.ts';
import { isRow, isTooDeep, isWebPage, type Row } from './shape.ts';
import type { HttpResponse } from './transport.ts';

/** Describes a request for messages. */
export interface RequestInfo {
  method: string;
  /** The path with its query, as it was sent. */
  path: string;
  /** The requested record or list in words: `supplier 42`, `suppliers`. */
  subject: string;
  operation?: Operation | undefined;
  /** The relations to include. */
  included?: readonly string[];
  /** The fields that were sent. */
  fields?: readonly string[];
  /** Redacts secrets in the service's own words. */
  redact?: (text: string) => string;
}

/** Returns the failure of an answer outside 200 to 299. */
export function refusal(answer: HttpResponse, request: RequestInfo): Failure {
  const category = categoryOf(answer.status);
  const errorText = parseErrorBody(answer.body, request.redact ?? ((text) => text));
  const { message, hint } = describe(
    category,
    answer,
    request,
    errorText.message && `: ${errorText.message.replace(/\.$/, '')}`,
  );
  return new Failure(category, message, {
    status: answer.status,
    request: { method: request.method, path: request.path },
    ...(errorText.fields && { fields: errorText.fields }),
    // A sandbox reports this for a write that it could not begin.
    ...(answer.headers['x-boh-outcome'] === 'not_sent' && { outcome: 'not_sent' as const }),
    ...(hint && { hint }),
    ...retryAfterOf(category, answer),
  });
}

/** Returns the pause before a retry in whole seconds, rounded up, so that no request is sent too early. */
function retryAfterOf(category: Category, answer: HttpResponse): { retryAfterSeconds?: number } {
  const mayRepeat = category === 'rate_limited' || category === 'unavailable';
  const ms = mayRepeat ? retryAfterMs(answer, Date.now()) : undefined;
  return ms === undefined ? {} : { retryAfterSeconds: Math.ceil(ms / 1000) };
}

/** Returns the category of a status. Proxies send 407, 408 and 425: they aren't about the input. */
function categoryOf(status: number): Category {
  if (status === 401) return 'not_signed_in';
  if (status === 403) return 'not_allowed';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  const isRefusal = status >= 400 && status < 500 && ![407, 408, 425].includes(status);
  return isRefusal ? 'refused' : 'unavailable';
}

interface Description {
  message: string;
  hint?: Hint | undefined;
}

const checkAddress = boh.hint`Check the address and the prefix: ${boh.account('config get', 'base_url')}; ${boh.account('config get', 'api_prefix')}`;

/** Returns the message and the hint. `quote` is the service's own message, with its separator, or empty. */
function describe(
  category: Category,
  answer: HttpResponse,
  request: RequestInfo,
  quote: string,
): Description {
  switch (category) {
    case 'not_signed_in':
      return {
        message: `The service rejected the token${quote}.`,
        hint: boh.hint`Check BOH_TOKEN, or sign in again: ${boh.profile('auth login')}`,
      };
    case 'not_allowed':
      return describeForbidden(answer, request, quote);
    case 'not_found':
      return describeMissing(answer, request);
    case 'rate_limited':
      return describeLimit(answer);
    case 'refused':
      return {
        message: `The service refused ${request.operation ? `to ${actionOf(request)}` : `${request.method} ${request.subject}`} (${answer.status})${quote}.`,
      };
    default:
      return answer.status < 400
        ? describeRedirect(answer)
        : {
            message: `The service reported an error (${answer.status})${quote}.`,
            hint: `Try again ${whenToRetry(answer) ?? 'in a few minutes'}.`,
          };
  }
}

function describeForbidden(answer: HttpResponse, request: RequestInfo, quote: string): Description {
  if (isWebPage(answer.body)) {
    return {
      message: `A proxy or firewall blocked the request to ${actionOf(request)} (403 with a web page).`,
      hint: 'After many refused requests, a service may block this machine for an hour. Wait, then try once.',
    };
  }
  const { included = [], operation } = request;
  const wider = included.flatMap((path) => (operation ? scopesToInclude(operation.resource, path) : []));
  const more = [...new Set(wider.map((scopes) => scopes.join(' or ')))];
  const withMore = more.length > 0 ? `, and for the included records ${more.join(' and ')}` : '';
  return {
    message: `The token isn't allowed to ${actionOf(request)}${scopesOf(request)}${withMore}${quote}.`,
  };
}

function describeMissing(answer: HttpResponse, { subject, operation, path }: RequestInfo): Description {
  if (operation === undefined) return { message: `Not found: ${path}` };
  if (isWebPage(answer.body) || operation.params.length === 0) {
    return { message: `The service has no ${subject} at ${path.replace(/\?.*/s, '')}.`, hint: checkAddress };
  }
  const { command, key, list, nouns } = operation.resource;
  const byName = key.length > 0 ? ' To find one by name, write @NAME.' : '';
  return {
    message: `${capitalize(subject)} not found.`,
    ...(list && { hint: boh.hint`To list ${nouns}: ${boh.account(`${command} list`)}.${byName}` }),
  };
}

function describeLimit(answer: HttpResponse): Description {
  const isLong = (retryAfterMs(answer, Date.now()) ?? 0) > maxWaitMs;
  const when = whenToRetry(answer) ?? 'in a few minutes';
  return {
    message: isLong
      ? `Rate limit exceeded. The service allows requests again ${when}.`
      : 'Rate limit exceeded, also after all retries.',
    hint: `Try again ${when}.`,
  };
}

function describeRedirect({ status, headers }: HttpResponse): Description {
  const { location } = headers;
  if (location === undefined) return { message: `The service returned an unexpected status (${status}).` };
  const to = URL.canParse(location) ? ` to ${new URL(location).host}` : '';
  return {
    message: `The service returned a redirect (${status})${to}. boh doesn't follow redirects, to keep the token safe.`,
    hint: boh.hint`If the service has moved, set the new address: ${boh.account('config set', 'base_url', 'ADDRESS')}`,
  };
}

/** Returns what the token tried to do: "delete supplier 42", "link item 7 of supplier 42". */
function actionOf({ operation, method, subject }: RequestInfo): string {
  if (!operation) return `use ${method} ${subject}`;
  const { effect, verb } = operation;
  const verbs: Partial<Record<Operation['effect'], string>> = { get: 'show', act: verb };
  return `${verbs[effect] ?? effect} ${subject}`;
}

/** Returns the required scopes in words, including those of single fields. */
function scopesOf({ operation, fields = [] }: RequestInfo): string {
  if (!operation) return '';
  const needs = operation.scopes.length > 0 ? [`it needs the scope ${operation.scopes.join(' or ')}`] : [];
  for (const { name, field } of operation.body) {
    const { writeScope } = field.traits;
    if (writeScope && fields.includes(name)) needs.push(`${name} needs ${writeScope}`);
  }
  return needs.length > 0 ? `: ${needs.join('; ')}` : '';
}

/** The message of the service in a refusal. */
export interface ErrorBody {
  /** The message of the service; empty if there is none. */
  message: string;
  fields?: FieldMessages;
}

const maxTextLength = 500;
const maxFields = 100;
const maxMessages = 20;

/** Returns the message and the field errors of a body. `hide` removes secrets. */
export function parseErrorBody(body: string, redact: (text: string) => string): ErrorBody {
  const answer = rowOf(body);
  if (!answer) return { message: '' };
  // {"error": {…}} has the same members one level deeper.
  const inner = isRow(answer.error) ? answer.error : answer;
  const entries = [...fieldEntries(inner.errors), ...fieldEntries(inner.fields), ...problemEntries(inner)];
  const errorText = [
    inner.message,
    textOf(inner.detail),
    inner.title,
    answer.error_description,
    answer.error,
  ];
  const alone = entries.length > 0 && entries.every(([name]) => name === '_') ? entries[0]?.[1] : undefined;
  const message =
    errorText.find((text): text is string => typeof text === 'string' && text !== '') ?? textOf(alone) ?? '';
  return { message: redact(message).slice(0, maxTextLength), ...fieldsFrom(entries, redact) };
}

type Entry = readonly [name: string, said: unknown];

/** Reads `{"name": ["…"]}`, or a list of texts and objects that name their field. */
function fieldEntries(errors: unknown): Entry[] {
  if (isRow(errors)) return Object.entries(errors);
  return Array.isArray(errors) ? errors.map(entryOf) : [];
}

/** Reads problem details: RFC 9457 and its predecessor. */
function problemEntries(problem: Row): Entry[] {
  const listed = [problem['invalid-params'], problem.invalid_params, problem.detail, problem.details];
  return listed.flatMap((list) => (Array.isArray(list) ? list.map(entryOf) : []));
}

function entryOf(error: unknown): Entry {
  if (!isRow(error)) return ['_', error];
  const { source } = error;
  const place = isRow(source) ? (source.pointer ?? source.parameter) : undefined;
  const name = error.field ?? error.name ?? error.param ?? error.pointer ?? error.path ?? error.loc ?? place;
  const errorText =
    error.message ?? error.detail ?? error.reason ?? error.msg ?? error.title ?? error.description;
  return [nameOf(name), errorText ?? error];
}

/** Returns the field's name from `/data/attributes/name`, `#/name` or `["body", "name"]`. */
function nameOf(place: unknown): string {
  const parts = Array.isArray(place) ? place.map(String) : String(place ?? '').split('/');
  const own = parts.filter((part) => !['', '#', 'data', 'attributes', 'body'].includes(part));
  return own.join('.') || '_';
}

function fieldsFrom(entries: readonly Entry[], redact: (text: string) => string): { fields?: FieldMessages } {
  if (entries.length === 0) return {};
  const fields = new Map<string, string[]>();
  for (const [name, errorText] of entries) {
    const shown = redact(name);
    if (!fields.has(shown) && fields.size === maxFields) break;
    fields.set(shown, [...(fields.get(shown) ?? []), ...messagesOf(errorText, redact)].slice(0, maxMessages));
  }
  const rest = new Set(entries.map(([name]) => name)).size - fields.size;
  if (rest > 0) fields.set('_', [...(fields.get('_') ?? []), `and ${rest} more`]);
  return { fields: Object.fromEntries(fields) };
}

function messagesOf(errorText: unknown, redact: (text: string) => string): string[] {
  return (Array.isArray(errorText) ? errorText.slice(0, maxMessages) : [errorText]).map((message: unknown) =>
    redact(typeof message === 'string' ? message : (JSON.stringify(message) ?? '')).slice(0, maxTextLength),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the body if it is a JSON object; it may also be an HTML page. */
function rowOf(body: string): Row | undefined {
  if (isTooDeep(body)) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    return isRow(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
