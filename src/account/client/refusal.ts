/** Converts an unsuccessful response to a failure: what happened, to which record, and what to do next. */

import { deletedFilter } from '../../api/contract/filter.ts';
import { scopesToInclude } from '../../api/contract/include.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { type Category, Failure, type FieldMessages } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { maxWaitMs, retryAfterMs, whenToRetry } from './retry.ts';
import { isRow, isTooDeep, isWebPage, type Row } from './shape.ts';
import type { HttpResponse } from './transport.ts';

/** Describes a request for messages. */
export interface RequestInfo {
  method: string;
  /** The path with its query, as it was sent. */
  path: string;
  /** The name of the requested record or list: `supplier 42`, `suppliers`. */
  subject: string;
  operation?: Operation | undefined;
  included?: readonly string[];
  /** The fields that were sent. */
  fields?: readonly string[];
  /** Redacts secrets in the messages of the service. */
  redact?: (text: string) => string;
}

/** Returns the failure of a response outside 200 to 299. */
export function refusal(response: HttpResponse, request: RequestInfo): Failure {
  const category = categoryOf(response.status);
  const errorBody = parseErrorBody(response.body, request.redact ?? ((text) => text));
  const { message, hint } = describe(
    category,
    response,
    request,
    errorBody.message && `: ${errorBody.message.replace(/\.$/, '')}`,
  );
  return new Failure(category, message, {
    status: response.status,
    request: { method: request.method, path: request.path },
    ...(errorBody.fields && { fields: errorBody.fields }),
    // A sandbox reports this for a write that it could not begin.
    ...(response.headers['x-boh-outcome'] === 'not_sent' && { outcome: 'not_sent' as const }),
    ...(hint && { hint }),
    ...retryAfterOf(category, response),
  });
}

/** Returns the pause before a retry in whole seconds, rounded up, so that no request is sent too early. */
function retryAfterOf(category: Category, response: HttpResponse): { retryAfterSeconds?: number } {
  const mayRepeat = category === 'rate_limited' || category === 'unavailable';
  const ms = mayRepeat ? retryAfterMs(response, Date.now()) : undefined;
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

const checkUrlHint = boh.hint`Check the URL and the prefix: ${boh.account('config get', 'base_url')}; ${boh.account('config get', 'api_prefix')}`;

/** Returns the message and the hint. `quotedMessage` is the service's own message, with its separator, or empty. */
function describe(
  category: Category,
  response: HttpResponse,
  request: RequestInfo,
  quotedMessage: string,
): Description {
  switch (category) {
    case 'not_signed_in':
      return {
        message: `The service rejected the token${quotedMessage}.`,
        hint: boh.hint`Check BOH_TOKEN, or sign in again: ${boh.profile('auth login')}`,
      };
    case 'not_allowed':
      return describeForbidden(response, request, quotedMessage);
    case 'not_found':
      return describeMissing(response, request);
    case 'rate_limited':
      return describeLimit(response);
    case 'refused':
      return {
        message: `The service refused ${request.operation ? `to ${actionOf(request)}` : `${request.method} ${request.subject}`} (${response.status})${quotedMessage}.`,
      };
    default:
      return response.status < 400
        ? describeRedirect(response)
        : {
            message: `The service reported an error (${response.status})${quotedMessage}.`,
            hint: `Try again ${whenToRetry(response) ?? 'in a few minutes'}.`,
          };
  }
}

function describeForbidden(response: HttpResponse, request: RequestInfo, quotedMessage: string): Description {
  if (isWebPage(response.body)) {
    return {
      message: `A proxy or firewall blocked the request to ${actionOf(request)} (403 with a web page).`,
      hint: 'After many refused requests, a service may block this machine for an hour. Wait, then try once.',
    };
  }
  const { included = [], operation } = request;
  const requiredScopes = included.flatMap((path) =>
    operation ? scopesToInclude(operation.resource, path) : [],
  );
  const additionalScopes = [...new Set(requiredScopes.map((scopes) => scopes.join(' or ')))];
  const includedScopesText =
    additionalScopes.length > 0 ? `, and for the included records ${additionalScopes.join(' and ')}` : '';
  return {
    message: `The token isn't allowed to ${actionOf(request)}${scopesOf(request)}${includedScopesText}${quotedMessage}.`,
  };
}

function describeMissing(response: HttpResponse, { subject, operation, path }: RequestInfo): Description {
  if (operation === undefined) return { message: `Not found: ${path}` };
  if (isWebPage(response.body) || operation.params.length === 0) {
    return { message: `The service has no ${subject} at ${path.replace(/\?.*/s, '')}.`, hint: checkUrlHint };
  }
  const { command, key, list, nouns } = operation.resource;
  if (operation.effect === 'restore') {
    return {
      message: `${capitalize(subject)} doesn't exist or isn't deleted.`,
      ...(deletedFilter(operation.resource.filters) && {
        hint: boh.hint`To list deleted ${nouns}: ${boh.account(`${command} list`, '--is-deleted')}`,
      }),
    };
  }
  const byName = key.length > 0 ? '. To find one by name, write @NAME.' : '';
  return {
    message: `${capitalize(subject)} not found.`,
    ...(list && { hint: boh.hint`To list ${nouns}: ${boh.account(`${command} list`)}${byName}` }),
  };
}

function describeLimit(response: HttpResponse): Description {
  const isLong = (retryAfterMs(response, Date.now()) ?? 0) > maxWaitMs;
  const when = whenToRetry(response) ?? 'in a few minutes';
  return {
    message: isLong
      ? `Rate limit exceeded. The service allows requests again ${when}.`
      : 'Rate limit exceeded after all retries.',
    hint: `Try again ${when}.`,
  };
}

function describeRedirect({ status, headers }: HttpResponse): Description {
  const { location } = headers;
  if (location === undefined) return { message: `The service returned an unexpected status (${status}).` };
  const destination = URL.canParse(location) ? ` to ${new URL(location).host}` : '';
  return {
    message: `The service returned a redirect (${status})${destination}. boh doesn't follow redirects, to keep the token safe.`,
    hint: boh.hint`If the service has moved, set the new URL: ${boh.account('config set', 'base_url', 'URL')}`,
  };
}

/** Describes the refused action: "delete supplier 42", "link item 7 of supplier 42". */
function actionOf({ operation, method, subject }: RequestInfo): string {
  if (!operation) return `use ${method} ${subject}`;
  const { effect, verb } = operation;
  const verbs: Partial<Record<Operation['effect'], string>> = { get: 'show', act: verb };
  return `${verbs[effect] ?? effect} ${subject}`;
}

/** Describes the required scopes, including those of single fields. */
function scopesOf({ operation, fields = [] }: RequestInfo): string {
  if (!operation) return '';
  const requirements =
    operation.scopes.length > 0 ? [`it needs the scope ${operation.scopes.join(' or ')}`] : [];
  for (const { name, field } of operation.body) {
    const { writeScope } = field.traits;
    if (writeScope && fields.includes(name)) requirements.push(`${name} needs ${writeScope}`);
  }
  return requirements.length > 0 ? `: ${requirements.join('; ')}` : '';
}

/** The message of the service in a refusal. */
export interface ErrorBody {
  /** The message of the service; empty if there is none. */
  message: string;
  fields?: FieldMessages;
}

const maxMessageCharacters = 500;
const maxFields = 100;
const maxMessages = 20;

/** Returns the message and the field errors of a body. `redact` removes secrets. */
export function parseErrorBody(body: string, redact: (text: string) => string): ErrorBody {
  const response = parseObject(body);
  if (!response) return { message: '' };
  // {"error": {…}} has the same members one level deeper.
  const inner = isRow(response.error) ? response.error : response;
  const entries = [...fieldEntries(inner.errors), ...fieldEntries(inner.fields), ...problemEntries(inner)];
  const messages = [
    inner.message,
    stringOf(inner.detail),
    inner.title,
    response.error_description,
    response.error,
  ];
  const onlyMessage =
    entries.length > 0 && entries.every(([name]) => name === '_') ? entries[0]?.[1] : undefined;
  const message =
    messages.find((text): text is string => typeof text === 'string' && text !== '') ??
    stringOf(onlyMessage) ??
    '';
  return { message: redact(message).slice(0, maxMessageCharacters), ...fieldsFrom(entries, redact) };
}

type FieldEntry = readonly [name: string, message: unknown];

/** Reads `{"name": ["…"]}`, also nested, or a list of strings and objects that name their field. */
function fieldEntries(errors: unknown): FieldEntry[] {
  if (isRow(errors)) return Object.entries(errors).flatMap(nestedEntries);
  return Array.isArray(errors) ? errors.map(entryOf) : [];
}

/** Reads `{"items": [{}, {"quantity": ["…"]}]}` as `items.1.quantity`. Other objects are messages. */
function nestedEntries([name, value]: FieldEntry): FieldEntry[] {
  const isNested = (inner: unknown): boolean =>
    isRow(inner) && Object.values(inner).every((list) => Array.isArray(list) || isNested(list));
  const isList = Array.isArray(value) && value.length > 0 && value.every(isNested);
  if (!isList && !isNested(value)) return [[name, value]];
  return Object.entries(value as Row).flatMap(([key, list]) => nestedEntries([`${name}.${key}`, list]));
}

/** Reads problem details: RFC 9457 and its predecessor. */
function problemEntries(problem: Row): FieldEntry[] {
  const lists = [problem['invalid-params'], problem.invalid_params, problem.detail, problem.details];
  return lists.flatMap((list) => (Array.isArray(list) ? list.map(entryOf) : []));
}

function entryOf(error: unknown): FieldEntry {
  if (!isRow(error)) return ['_', error];
  const { source } = error;
  const location = isRow(source) ? (source.pointer ?? source.parameter) : undefined;
  const name =
    error.field ?? error.name ?? error.param ?? error.pointer ?? error.path ?? error.loc ?? location;
  const message =
    error.message ?? error.detail ?? error.reason ?? error.msg ?? error.title ?? error.description;
  return [fieldNameOf(name), message ?? error];
}

/** Returns the field's name from `/data/attributes/name`, `#/name` or `["body", "name"]`. */
function fieldNameOf(location: unknown): string {
  const parts = Array.isArray(location) ? location.map(String) : String(location ?? '').split('/');
  const names = parts.filter((part) => !['', '#', 'data', 'attributes', 'body'].includes(part));
  return names.join('.') || '_';
}

function fieldsFrom(
  entries: readonly FieldEntry[],
  redact: (text: string) => string,
): { fields?: FieldMessages } {
  if (entries.length === 0) return {};
  const fields = new Map<string, string[]>();
  for (const [name, messages] of entries) {
    const redactedName = redact(name);
    if (!fields.has(redactedName) && fields.size === maxFields) break;
    fields.set(
      redactedName,
      [...(fields.get(redactedName) ?? []), ...messagesOf(messages, redact)].slice(0, maxMessages),
    );
  }
  const remaining = new Set(entries.map(([name]) => name)).size - fields.size;
  if (remaining > 0) fields.set('_', [...(fields.get('_') ?? []), `and ${remaining} more`]);
  return { fields: Object.fromEntries(fields) };
}

function messagesOf(messages: unknown, redact: (text: string) => string): string[] {
  return (Array.isArray(messages) ? messages.slice(0, maxMessages) : [messages]).map((message: unknown) =>
    redact(stringOf(message) ?? JSON.stringify(message) ?? '').slice(0, maxMessageCharacters),
  );
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the body if it is a JSON object; it may also be an HTML page. */
function parseObject(body: string): Row | undefined {
  if (isTooDeep(body)) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    return isRow(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The refusals of a token that other processes have recorded. */
export interface RefusedToken {
  /** Returns the milliseconds during which the token isn't sent; undefined if it may be sent. */
  remaining(): number | undefined;
  remember(): void;
  /** Waits while many other processes send the token for the first time. Call the result after that. */
  admit(signal?: AbortSignal): Promise<() => void>;
}

const allCallsKey = '';

/** Remembers refusals, so that no call is sent that would be refused again. */
export class RefusedCalls {
  readonly #token: RefusedToken | undefined;
  readonly #failures = new Map<string, Failure>();
  #admitted: Promise<() => void> | undefined;

  constructor(token: RefusedToken | undefined) {
    this.#token = token;
  }

  /** Waits before the first request of a client. Call the result after each request. */
  admit(signal: AbortSignal | undefined): Promise<() => void> {
    this.#admitted ??= this.#admit(signal);
    return this.#admitted;
  }

  /** Throws the failure of a call that was refused before. */
  throwIfRefused(request: RequestInfo): void {
    const { included: _, ...plain } = request;
    const failure =
      this.#failures.get(allCallsKey) ??
      this.#failures.get(keyOf(plain)) ??
      this.#failures.get(keyOf(request));
    if (failure) throw failure;
  }

  /** Records a refusal: a 401 stops all calls, a 403 all calls of the operation. */
  observe(response: HttpResponse, request: RequestInfo): void {
    if (response.status === 401) this.#failures.set(allCallsKey, refusal(response, request));
    if (response.status === 403 && request.operation)
      this.#failures.set(keyOf(request), refusal(response, request));
    if (response.status === 401) this.#token?.remember();
  }

  /** Waits before the first request of a client. Call the result after each request. */
  async #admit(signal: AbortSignal | undefined): Promise<() => void> {
    this.#loadRefusal();
    if (this.#failures.size > 0 || !this.#token) return () => {};
    const release = await this.#token.admit(signal);
    this.#loadRefusal();
    return release;
  }

  /** Loads a refusal that another process has recorded for the same token. */
  #loadRefusal(): void {
    const ms = this.#token?.remaining();
    if (ms !== undefined) this.#failures.set(allCallsKey, recordedRefusal(Math.ceil(ms / 1000)));
  }
}

function recordedRefusal(retryAfterSeconds: number): Failure {
  return new Failure(
    'not_signed_in',
    `The service rejected this token a moment ago. To keep the service from blocking this machine, boh sends it again after ${retryAfterSeconds} s.`,
    {
      status: 401,
      retryAfterSeconds,
      hint: boh.hint`Check BOH_TOKEN, or sign in again: ${boh.profile('auth login')}`,
    },
  );
}

/** Returns the key of a call. It contains the included relations, because these may be what is refused. */
function keyOf({ operation, included = [], method, path }: RequestInfo): string {
  return operation ? [operation.resource.name, operation.verb, ...included].join(' ') : `${method} ${path}`;
}
