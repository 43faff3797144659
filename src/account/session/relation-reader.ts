/**
 * Reads records with the relations that callers need. Services differ in the relations that they return without `include`,
 * and in those that they accept there: responses show it, and `ServiceBehavior` remembers it.
 */

import { isUndocumentedInclude, mayInclude, relationAt } from '../../api/contract/include.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import type { Client, RecordResponse } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { ListPage } from '../client/response.ts';
import { isRow, type Row } from '../client/shape.ts';
import { concernsOneRecord } from './list.ts';
import type { ServiceBehavior } from './service-behavior.ts';

export interface RelationReaderOptions {
  client: Pick<Client, 'get' | 'pages'>;
  behavior: ServiceBehavior;
  /** Returns the scopes of the token; undefined if they are unknown. */
  scopes(): readonly string[] | undefined;
  /** Whether relations that a caller includes are sent even if the API document doesn't allow to include them. */
  sendsAll: boolean;
}

interface RelationRequest {
  call: Call;
  resource: Resource;
  /** The relations that the response should contain. */
  wanted: readonly string[];
  /** The relations that are always sent; a refusal of them is the caller's. */
  required: readonly string[];
  /** Whether the caller can't do without the relations, so that every way is tried. */
  isNeeded: boolean;
}

/** The first rows of a response, and the rest of it. */
interface Opened<Rest> {
  rows: readonly Row[];
  rest: Rest;
  discard?(): Promise<unknown>;
}

type Send<Rest> = (call: Call) => Promise<Opened<Rest>>;

/** The fields that lists lack: those that single records had, and those that nothing had. */
type ListGaps = Record<'filled' | 'lost', Set<string>>;

/** Reads records and lists of one account. */
export class RelationReader {
  readonly #options: RelationReaderOptions;
  /** The relations that the service has refused to this command, as `RESOURCE PATH`. */
  readonly #refused = new Set<string>();

  constructor(options: RelationReaderOptions) {
    this.#options = options;
  }

  /** Returns a record with the relations of the query, as far as the service returns them. */
  async get(call: Call): Promise<RecordResponse> {
    const request = this.#requestOf(call);
    const { rest, rows, paths } = await this.#open(request, async (sent) => {
      const response = await this.#options.client.get(sent);
      return { rows: [response.record], rest: response };
    });
    const missing = incompleteIn(request.resource, missingIn(request, rows, paths));
    if (missing.length > 0) call.query?.onMissing?.(missing);
    return rest;
  }

  /** Yields the pages of a list with the relations of the query. For `onMissing`, single records fill the gaps of lists. */
  async *pages(call: Call): AsyncGenerator<ListPage> {
    const request = this.#requestOf(call);
    const { rest, paths } = await this.#open(request, async (sent) => {
      const pages = this.#options.client.pages(sent);
      const { value } = await pages.next();
      const first: ListPage | undefined = value || undefined;
      return { rows: first?.rows ?? [], rest: { first, pages }, discard: () => pages.return(undefined) };
    });
    const gaps: ListGaps = { filled: new Set(), lost: new Set() };
    const seen = new Set<string>();
    const complete = async (page: ListPage): Promise<ListPage> => {
      if (!call.query?.onMissing) return page;
      for (const path of request.wanted) if (isPresent(request.resource, page.rows, path)) seen.add(path);
      const missing = incompleteIn(request.resource, missingIn(request, page.rows, paths)).filter(
        (path) => gaps.filled.has(path) || !(seen.has(path) || gaps.lost.has(path)),
      );
      return missing.length === 0 ? page : this.#fill(request, page, missing, gaps);
    };
    try {
      if (rest.first) yield await complete(rest.first);
      for await (const page of rest.pages) yield await complete(page);
    } finally {
      await rest.pages.return(undefined);
    }
  }

  #requestOf(call: Call): RelationRequest {
    const { include = [], optional = [], onMissing } = call.query ?? {};
    const { resource } = call.operation;
    const { sendsAll } = this.#options;
    const required = include.filter((path) => sendsAll || !isUndocumentedInclude(resource, path));
    const isNeeded = onMissing !== undefined || required.length < include.length;
    const wanted = [...new Set([...include, ...optional])];
    return { call, resource, wanted, required, isNeeded };
  }

  /** Sends a request with the relations that the service is known to need. If some are still missing, includes them too. */
  async #open<Rest>(
    request: RelationRequest,
    send: Send<Rest>,
  ): Promise<Opened<Rest> & { paths: readonly string[] }> {
    const { resource, wanted, required } = request;
    const { behavior, scopes } = this.#options;
    const { needsInclude = [], refusedIncludes = [], onlySingle = [] } = behavior.of(resource);
    const isReadable = (path: string) => {
      const known = scopes();
      return !required.includes(path) && (known === undefined || mayInclude(resource, path, known));
    };
    const usual = wanted.filter(
      (path) =>
        isReadable(path) &&
        !refusedIncludes.includes(path) &&
        (needsInclude.includes(path) || !isUndocumentedInclude(resource, path)),
    );
    const isList = request.call.operation.effect === 'list';
    let opened = await this.#sendAllowed(request, usual, send);
    for (;;) {
      const { rows, paths } = opened;
      const untried = missingIn(request, rows, paths).filter(
        (path) =>
          isReadable(path) &&
          !paths.includes(path) &&
          !this.#refused.has(`${resource.name} ${path}`) &&
          (request.isNeeded || !refusedIncludes.includes(path)) &&
          !(isList && onlySingle.includes(path)),
      );
      if (untried.length === 0) return opened;
      await opened.discard?.();
      const next = await this.#sendAllowed(request, [...paths, ...untried], send);
      const found = next.paths.filter(
        (path) => untried.includes(path) && isPresent(resource, next.rows, path),
      );
      behavior.learn(resource, { needsInclude: found });
      opened = next;
    }
  }

  /** Sends a request with the relations, without those that the service refuses. */
  async #sendAllowed<Rest>(
    request: RelationRequest,
    paths: readonly string[],
    send: Send<Rest>,
  ): Promise<Opened<Rest> & { paths: readonly string[] }> {
    const refused = new Set<string>();
    const finish = (opened: Opened<Rest>, sent: readonly string[]) => {
      for (const path of refused) this.#refused.add(`${request.resource.name} ${path}`);
      this.#options.behavior.learn(request.resource, { refusedIncludes: [...refused] });
      return { ...opened, paths: sent };
    };
    for (;;) {
      const pending = paths.filter((path) => !refused.has(path));
      try {
        return finish(await send(callWith(request, pending)), pending);
      } catch (error) {
        if (pending.length === 0 || !mayRefuseIncludes(error)) throw error;
        let dropped: readonly string[] = refusedIn(error, pending);
        if (dropped.length === 0) {
          // Throws if the relations aren't the reason.
          const opened = await send(callWith(request, []));
          if (pending.length === 1) {
            refused.add(pending[0] ?? '');
            return finish(opened, []);
          }
          await opened.discard?.();
          dropped = await this.#findRefused(request, pending, send);
        }
        for (const path of dropped) refused.add(path);
      }
    }
  }

  /** Returns the refused ones of several relations that the service refuses together: each is sent alone. */
  async #findRefused<Rest>(
    request: RelationRequest,
    paths: readonly string[],
    send: Send<Rest>,
  ): Promise<readonly string[]> {
    const refused: string[] = [];
    for (const path of paths)
      try {
        await (await send(callWith(request, [path]))).discard?.();
      } catch (error) {
        if (!mayRefuseIncludes(error)) throw error;
        refused.push(path);
      }
    return refused.length > 0 ? refused : paths;
  }

  /** Returns the page with the missing fields of its records, as far as single records have them. */
  async #fill(
    { call, resource, wanted }: RelationRequest,
    page: ListPage,
    missing: readonly string[],
    { filled, lost }: ListGaps,
  ): Promise<ListPage> {
    const get = operation(resource, 'get');
    let open = get ? missing : [];
    const reportLost = (paths: readonly string[]) => {
      for (const path of paths) lost.add(path);
      open = open.filter((path) => !lost.has(path));
    };
    reportLost(get ? [] : missing);
    const rows: Row[] = [];
    for (const row of page.rows) {
      const isRead = get && open.length > 0 && typeof row.id === 'string' && (call.isUsed?.(row) ?? true);
      const query = { optional: wanted, onMissing: reportLost };
      const single = isRead
        ? (await this.get({ operation: get, ids: [String(row.id)], query }).catch(ignoreMissing))?.record
        : {};
      if (!single) reportLost(open);
      const names = new Set(open.flatMap((name) => [name, `${name}_id`]));
      rows.push({
        ...row,
        ...Object.fromEntries(Object.entries(single ?? {}).filter(([name]) => names.has(name))),
      });
    }
    for (const path of open) filled.add(path);
    this.#options.behavior.learn(resource, { onlySingle: open });
    const unreported = missing.filter((path) => lost.has(path));
    if (unreported.length > 0) call.query?.onMissing?.(unreported);
    return { ...page, rows };
  }
}

/** Ignores the failure of a single record that can't be read. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Failure && concernsOneRecord(error))) throw error;
}

/**
 * Returns the missing fields that make records incomplete: relations of the API document. Records in a record, such as
 * options, lists of IDs, and resources outside the document may have fewer fields.
 */
function incompleteIn({ fields, undocumented }: Resource, paths: readonly string[]): string[] {
  return undocumented ? [] : paths.filter((path) => !path.includes('.') && fields[path]?.kind !== 'ids');
}

function callWith({ call, required }: RelationRequest, paths: readonly string[]): Call {
  if (!call.query) return call;
  const { optional: _, onMissing: __, ...query } = call.query;
  return { ...call, query: { ...query, include: [...required, ...paths] } };
}

/** Returns the wanted fields that no row has, although the rows show that they should. */
function missingIn(
  { resource, wanted, required }: RelationRequest,
  rows: readonly Row[],
  paths: readonly string[],
): string[] {
  return wanted.filter((path) => {
    const { kind, traits } = relationAt(resource, path) ?? {};
    // An included relation that is empty may be omitted, unless the document says that it is null then.
    const isEmpty = [...paths, ...required].includes(path) && kind === 'one' && !traits?.nullable;
    return !isEmpty && isPresent(resource, rows, path) === false;
  });
}

/** Returns whether a row contains the field; undefined if the rows don't show it, because there is nothing to contain it. */
function isPresent(resource: Resource, rows: readonly Row[], path: string): boolean | undefined {
  const [name = '', ...inner] = path.split('.');
  if (rows.length === 0) return undefined;
  const isOne = relationAt(resource, path)?.kind === 'one';
  if (inner.length === 0)
    return rows.some((row) => Object.hasOwn(row, name) || (isOne && Object.hasOwn(row, `${name}_id`)));
  const parts = rows.flatMap((row) => row[name]).filter(isRow);
  const last = inner.at(-1) ?? '';
  if (inner.length > 1 || parts.length === 0) return undefined;
  return parts.some((part) => Object.hasOwn(part, last) || Object.hasOwn(part, `${last}_id`));
}

/** Returns whether the reason of a refusal may be the included relations. */
function mayRefuseIncludes(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false;
  if (error.category === 'not_allowed') return true;
  const isAboutOthers = /filter|sort/i.test(error.message) && !/includ|relation/i.test(error.message);
  return error.category === 'refused' && error.details.status === 400 && !isAboutOthers;
}

/** Returns the paths that the message names as refused, or doesn't name among those that are allowed. */
function refusedIn({ message }: Failure, paths: readonly string[]): string[] {
  const [head = '', ...tail] = message
    .replace(/^.*?\(400\)/s, '')
    .split(/(?:allowed|includable)[^.:]*(?:\bare\b|:)/i);
  const wordsOf = (text: string) => new Set(text.match(/\w+(?:\.\w+)*/g));
  const named = paths.filter((path) => wordsOf(head).has(path));
  const allowed = wordsOf(tail.join(' '));
  return named.length > 0 || allowed.size === 0 ? named : paths.filter((path) => !allowed.has(path));
}
