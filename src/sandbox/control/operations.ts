/** The operations that control a sandbox. Commands, HTTP and `boh/testing` execute them from this table. */
import * as z from 'zod';
import { isDate, isTimestamp, parseFilterTime } from '../../api/contract/date-time.ts';
import { scopeNames } from '../../api/contract/scope.ts';
import { parseDurationMs } from '../../base/duration.ts';
import { Failure, usage } from '../../base/errors.ts';
import type { ClockState } from '../business/clock.ts';
import { maxBranches, setBranchCount } from '../demo/from-contract.ts';
import { clearFaultPlan, readFaultPlan, storeFaultPlan } from '../faults/engine.ts';
import { faultPlan } from '../faults/plan.ts';
import { type RequestEntry, requestEntry } from '../inspector/entries.ts';
import type { LoggedRequest, RequestFilter, RequestLog } from '../inspector/request-log.ts';
import { parseInput } from '../parse-input.ts';
import type { Sandbox } from '../service.ts';
import { dumpSandbox } from './dump.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** An open sandbox with what its control needs. */
export interface ControlledSandbox {
  sandbox: Sandbox;
  snapshots: SnapshotStore;
  /** The requests, if this process serves the sandbox. */
  requests?: { log: RequestLog; prefix: string } | undefined;
  /** The sandboxes that were created beside this one, if it is the first of a server. */
  others?: OtherSandboxes | undefined;
  /** The origin of the request, such as `http://127.0.0.1:4010`, for the addresses of other sandboxes. */
  origin?: string | undefined;
  services: ControlServices;
  /** Aborts waits and resets. */
  signal?: AbortSignal | undefined;
}

/** What control needs from the part of boh that uses sandboxes like an account. */
export interface ControlServices {
  /** Applies the contents of manifests, as `boh apply` does. Throws if they are invalid or the sandbox refuses a record. */
  applyContents(sandbox: Sandbox, manifests: readonly unknown[]): Promise<void>;
  /** Returns an ID, and finds the ID of `@NAME`. `target` is the API's name of a resource or reference. */
  idOf(sandbox: Sandbox, target: string, text: string): Promise<string>;
}

/** The sandboxes of a server beside its first one. */
export interface OtherSandboxes {
  /** Creates a sandbox in memory with this content. */
  create(content: Uint8Array): Promise<ControlledSandbox & { id: string }>;
  ids(): string[];
  /** Throws `not_found` if there is no such sandbox. */
  delete(id: string): void;
}

/** One operation: its request over HTTP, its input and its effect. */
export interface ControlOperation<Input extends z.ZodType = z.ZodType, Output = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/_boh`. The input has its parameters too. */
  path: string;
  about: string;
  input: Input;
  run(controlled: ControlledSandbox, input: z.output<Input>): Output | Promise<Output>;
}

/** Returns whether the input of an operation is in the query. */
export function hasInputInQuery({ method }: ControlOperation): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** Declares an operation with its method and path below `/_boh`. */
function operation<Input extends z.ZodType, Output>(
  route: `${ControlOperation['method']} /${string}`,
  about: string,
  input: Input,
  run: ControlOperation<Input, Output>['run'],
): ControlOperation<Input, Output> {
  const [method, path = ''] = route.split(' ') as [ControlOperation['method'], string];
  return { method, path, about, input, run };
}

const nothing = z.strictObject({});
const snapshotName = z.string().min(1).max(64);
const from = z.string().default('demo').describe('demo, empty or the name of a snapshot');
const manifests = z.array(z.union([z.string(), z.record(z.string(), z.unknown())]));
const wholeNumber = z.coerce.number().pipe(z.int().min(0));

const orderLine = z.strictObject({
  product: z.string().describe('by ID or @NAME'),
  quantity: z.number().positive().default(1),
  price: z.number().min(0).describe('of one'),
});

const clockChange = z
  .strictObject({
    freeze: z
      .union([z.boolean(), z.string()])
      .optional()
      .describe('true stops the clock, false starts it again, a time stops it at that time'),
    set: z.string().optional().describe('a time, from which the clock continues'),
    advance: z.string().optional().describe('a duration, such as 90s, 26h or 7d'),
  })
  .refine((change) => Object.keys(change).length === 1, 'needs one of freeze, set and advance');

/** The longest wait for requests, in milliseconds. */
const maxWaitMs = 60_000;

const requestQuery = z.strictObject({
  method: z.string().optional(),
  path: z
    .string()
    .startsWith('/')
    .optional()
    .describe('without prefix and query; * is one part, ** is any parts'),
  status: wholeNumber.optional(),
  count: wholeNumber.optional().describe('fails with 409 unless exactly this number of requests matches'),
  wait: z.string().optional().describe('how long to wait for the count, such as 2s'),
});

export const controlOperations = {
  status: operation(
    'GET /status',
    'The clock, the number of fault rules and the records of the sandbox',
    nothing,
    ({ sandbox }) => {
      const { file, bytes, records, clock } = sandbox.status();
      const faultRules = readFaultPlan(sandbox.database)?.rules.length ?? 0;
      return { file, bytes, clock: clockData(clock), fault_rules: faultRules, records };
    },
  ),
  reset: operation(
    'POST /reset',
    'Replaces all data with the demo business, with none, or with a snapshot. Tokens stay valid.',
    z.strictObject({ from, branches: z.int().min(1).max(maxBranches).optional() }),
    async ({ sandbox, snapshots, signal }, { from: source, branches }) => {
      const isEmpty = source === 'empty';
      if (isEmpty || source === 'demo') await sandbox.reset({ empty: isEmpty, signal });
      else await snapshots.restore(source);
      if (branches !== undefined) setBranchCount(sandbox, branches, { isEmpty });
      return { from: source };
    },
  ),
  listSandboxes: operation(
    'GET /sandboxes',
    'The sandboxes that were created beside this one',
    nothing,
    (controlled) =>
      requireOthers(controlled)
        .ids()
        .map((id) => addressesOf(id, controlled)),
  ),
  createSandbox: operation(
    'POST /sandboxes',
    'Creates another sandbox in memory, with its own records, clock, faults, limits and requests',
    z.strictObject({
      from: from.describe('demo, empty or the name of a snapshot of this sandbox'),
      apply: manifests.default([]).describe('manifests to apply, as YAML or JSON text or as values'),
    }),
    async (controlled, { from: source, apply }) => {
      const { sandbox, snapshots } = controlled;
      const others = requireOthers(controlled);
      const content =
        source === 'demo' || source === 'empty'
          ? await sandbox.newContent({ empty: source === 'empty' })
          : await snapshots.contentOf(source);
      const created = await others.create(content);
      try {
        if (apply.length > 0) await controlled.services.applyContents(created.sandbox, apply);
      } catch (error) {
        others.delete(created.id);
        throw error;
      }
      const token = created.sandbox.createToken({ scopes: scopeNames });
      return { ...addressesOf(created.id, controlled), token };
    },
  ),
  deleteSandbox: operation(
    'DELETE /sandboxes/{id}',
    'Deletes a sandbox that was created beside this one',
    z.strictObject({ id: z.string() }),
    (controlled, { id }) => {
      requireOthers(controlled).delete(id);
      return { id };
    },
  ),
  apply: operation(
    'POST /apply',
    'Applies manifests, as boh apply does',
    z.strictObject({ manifests }),
    async ({ sandbox, services }, { manifests: contents }) => {
      await services.applyContents(sandbox, contents);
      return {};
    },
  ),
  placeOrder: operation(
    'POST /orders',
    'Places an order, as at a register. It may earn loyalty credit.',
    z.strictObject({
      customer: z.string().describe('by ID or @NAME'),
      total: z.number().optional().describe('the final price; by default the sum of the products'),
      products: z.array(orderLine).max(1000).default([]),
      at: z.string().optional().describe('a time in UTC, or 3h for three hours ago; by default now'),
    }),
    async ({ sandbox, services, signal }, { customer, total, products, at }) => {
      const time = at === undefined ? undefined : parseFilterTime(at, new Date(sandbox.clock.now()));
      if (at !== undefined && !time)
        throw usage(`${at} isn't a time. Write "2026-11-20 12:30:00" (UTC), or 3h for three hours ago.`);
      const order = {
        customer: await services.idOf(sandbox, 'customers', customer),
        total,
        lines: await Promise.all(
          products.map(async (line) => ({
            ...line,
            product: await services.idOf(sandbox, 'products', line.product),
          })),
        ),
        at: time?.getTime(),
      };
      const place = () => sandbox.placeOrder(order);
      const { id, loyaltyTransactionId = null } = await sandbox.whenUnlocked(place, { signal });
      return { id, loyalty_transaction_id: loyaltyTransactionId };
    },
  ),
  listSnapshots: operation('GET /snapshots', 'The snapshots', nothing, ({ snapshots }) =>
    snapshots.list().map(({ name, bytes, savedAt }) => ({ name, bytes, saved_at: savedAt.toISOString() })),
  ),
  saveSnapshot: operation(
    'POST /snapshots',
    'Saves the state of the sandbox',
    z.strictObject({ name: snapshotName, replace: z.boolean().default(true) }),
    async ({ snapshots }, { name, replace }) => {
      await snapshots.save(name, { isReplacing: replace });
      return { name };
    },
  ),
  restoreSnapshot: operation(
    'POST /snapshots/{name}/restore',
    'Replaces all data with a snapshot. Tokens stay valid.',
    z.strictObject({ name: snapshotName }),
    async ({ snapshots }, { name }) => {
      await snapshots.restore(name);
      return { name };
    },
  ),
  deleteSnapshot: operation(
    'DELETE /snapshots/{name}',
    'Deletes a snapshot',
    z.strictObject({ name: snapshotName }),
    ({ snapshots }, { name }) => {
      snapshots.delete(name);
      return { name };
    },
  ),
  clock: operation('GET /clock', 'The time of the sandbox', nothing, ({ sandbox }) =>
    clockData(sandbox.clock.state()),
  ),
  changeClock: operation(
    'PUT /clock',
    'Stops, sets or advances the clock',
    clockChange,
    ({ sandbox: { clock, database } }, { freeze, set, advance }) => {
      database.write(() => {
        if (freeze === false) clock.unfreeze();
        else if (freeze !== undefined) clock.freeze();
        if (typeof freeze === 'string') clock.set(parseTime(freeze));
        if (set !== undefined) clock.set(parseTime(set));
        if (advance !== undefined) clock.advance(parseDurationMs(advance));
      });
      return clockData(clock.state());
    },
  ),
  resetClock: operation(
    'DELETE /clock',
    'Sets the clock to the time of the machine',
    nothing,
    ({ sandbox: { clock } }) => {
      clock.reset();
      return clockData(clock.state());
    },
  ),
  faults: operation(
    'GET /faults',
    'The fault plan, or null',
    nothing,
    ({ sandbox }) => readFaultPlan(sandbox.database) ?? null,
  ),
  setFaults: operation('PUT /faults', 'Replaces the fault plan', faultPlan, ({ sandbox }, plan) => {
    storeFaultPlan(sandbox.database, plan);
    return plan;
  }),
  clearFaults: operation('DELETE /faults', 'Removes all faults', nothing, ({ sandbox }) => {
    clearFaultPlan(sandbox.database);
    return {};
  }),
  settings: operation(
    'GET /settings',
    'The settings of the business and its service',
    nothing,
    ({ sandbox }) => sandbox.settings(),
  ),
  changeSettings: operation(
    'PATCH /settings',
    'Changes settings, or none if one of them is invalid',
    z.record(z.string(), z.union([z.string(), z.number()])),
    ({ sandbox }, changes) => sandbox.changeSettings(changes),
  ),
  requests: operation(
    'GET /requests',
    'The requests to the sandbox, oldest first, and a check of their number',
    requestQuery,
    (controlled, query) => selectRequests(controlled, query),
  ),
  clearRequests: operation('DELETE /requests', 'Removes all requests from the log', nothing, (controlled) => {
    requireRequests(controlled).log.clear();
    return {};
  }),
  dump: operation(
    'GET /dump',
    'All records, sorted and without timestamps, for golden files',
    z.strictObject({
      resource: z.string().optional().describe('only this resource, such as inventory_items'),
    }),
    ({ sandbox }, { resource }) => {
      if (resource !== undefined && !sandbox.api.resource(resource))
        throw usage(`Unknown resource ${resource}.`);
      return dumpSandbox(sandbox, resource);
    },
  ),
};

/** Executes an operation. Throws a usage failure for invalid input. Waits while another process has locked the file. */
export async function runOperation<Input extends z.ZodType, Output>(
  { path, input: schema, run }: ControlOperation<Input, Output>,
  controlled: ControlledSandbox,
  value: z.input<Input>,
): Promise<Output> {
  const input = parseInput(schema, value, `Invalid input for ${path}.`);
  const { sandbox, signal } = controlled;
  return await sandbox.whenUnlocked(() => run(controlled, input), { signal });
}

/** The state of the clock in results. */
export type ClockData = ReturnType<typeof clockData>;

function clockData({ now, isFrozen, aheadSeconds }: ClockState) {
  return { now, is_frozen: isFrozen, ahead_seconds: aheadSeconds };
}

/** Returns the time of a text in milliseconds since 1970. Throws a usage failure for any other text. */
export function parseTime(text: string): number {
  const isTime = isDate(text) || isTimestamp(text) || text.includes('T');
  const time = isTime ? parseFilterTime(text, new Date()) : undefined;
  if (!time) throw usage(`${text} isn't a time. Write "2026-11-20 08:30:00" (UTC) or 2026-11-20.`);
  return time.getTime();
}

function requireOthers({ others }: ControlledSandbox): OtherSandboxes {
  if (others) return others;
  throw usage('Only the first sandbox of a server has others.', {
    hint: 'Send the request to /_boh/sandboxes of the server.',
  });
}

/** Returns the addresses of another sandbox, as its clients reach it. */
function addressesOf(id: string, { origin = '' }: ControlledSandbox) {
  const baseUrl = `${origin}${mountOf(id)}`;
  return { id, base_url: baseUrl, control_url: `${baseUrl}${controlPath}` };
}

/** Returns the path of the base URL of another sandbox. */
export function mountOf(id: string): string {
  return `/s/${id}`;
}

/** The path of the control below the base URL of a sandbox. */
export const controlPath = '/_boh';

function requireRequests({ requests }: ControlledSandbox): { log: RequestLog; prefix: string } {
  if (requests) return requests;
  throw usage('Only a served sandbox has a log of requests.', {
    hint: 'Pass the URL of the server, such as --name http://127.0.0.1:4010',
  });
}

/** Returns the matching requests. With a count, waits until the log has that number, and fails for any other. */
async function selectRequests(
  controlled: ControlledSandbox,
  { method = '*', path = '/**', status, count, wait = '0s' }: z.output<typeof requestQuery>,
): Promise<{ count: number; requests: RequestEntry[] }> {
  const { log, prefix } = requireRequests(controlled);
  const waitMs = Math.min(parseDurationMs(wait), maxWaitMs);
  const filter: RequestFilter = { route: `${method} ${path}`, status };
  const entries = await matchingWithin(log, filter, count, waitMs, controlled.signal);
  if (count !== undefined && entries.length !== count) {
    const kind = [method === '*' ? '' : method, path, status === undefined ? '' : `with status ${status}`];
    const waited = waitMs > 0 ? ` within ${wait}` : '';
    throw new Failure(
      'refused',
      `Expected ${count} requests ${kind.filter(Boolean).join(' ')}${waited}, found ${entries.length}.`,
    );
  }
  const requests = entries.map((entry) => requestEntry(controlled.sandbox, prefix, entry));
  return { count: requests.length, requests };
}

async function matchingWithin(
  log: RequestLog,
  filter: RequestFilter,
  count: number | undefined,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<LoggedRequest[]> {
  const deadline = AbortSignal.any([AbortSignal.timeout(waitMs), ...(signal ? [signal] : [])]);
  for (;;) {
    const entries = log.matching(filter);
    // None is certain only at the end of the wait.
    const isCertain =
      count === undefined || entries.length > count || (count > 0 && entries.length === count);
    if (isCertain || waitMs === 0 || deadline.aborted) return entries;
    await log.waitForNext(deadline);
    signal?.throwIfAborted();
  }
}
