/** The module `boh/testing`: a sandbox in the process of a test, without a port unless wanted. */
import { scopeNames } from '../api/contract/scope.ts';
import { deployedApi } from '../api/deployments/deployment.ts';
import { requireDeployment } from '../api/deployments/index.ts';
import { openApiDocument } from '../api/reference/openapi.ts';
import { api as ownApi } from '../api/resources/index.ts';
import { newToken } from '../sandbox/access/tokens.ts';
import { checkSettings, variantNames } from '../sandbox/business/settings.ts';
import { controlOperations as operations, parseTime, runOperation } from '../sandbox/control/operations.ts';
import type { FaultPlan } from '../sandbox/faults/plan.ts';
import { newContent } from '../sandbox/new-content.ts';
import { listen } from '../sandbox/server/listen.ts';
import { mountSandbox } from '../sandbox/server/mounted.ts';
import { openSandbox } from '../sandbox/service.ts';
import { Tables } from '../sandbox/store/tables.ts';
import { controlServices } from './apply.ts';
import { createDispatcher, createFetch } from './in-process.ts';
import type { StartSandbox } from './types.ts';

/** Starts a sandbox in memory. */
export const startSandbox: StartSandbox = async ({
  from = 'demo',
  like,
  apply = [],
  port,
  ...options
} = {}) => {
  const { clock, randomSeed = 1, settings = {} } = options;
  checkSettings(settings, variantNames);
  const deployment = like === undefined ? undefined : requireDeployment(like);
  const apiPrefix = deployment?.settings.api_prefix ?? '';
  const api = await deployedApi(ownApi, deployment);
  const tables = new Tables(api);
  const fixedStart = { time: clock === undefined ? undefined : parseTime(clock), randomSeed };
  const start = { machineNow: Date.now(), isEmpty: from === 'empty', ...fixedStart };
  const sandbox = await openSandbox({
    ...{ api, tables, fixedStart, apiPrefix, file: ':memory:', content: await newContent(tables, start) },
    defaults: { 'wire.requests': 'lenient', ...deployment?.variant, ...settings },
  });
  const stopping = new AbortController();
  const serving = {
    ...{ apiPrefix, isAutoApproved: true, stopping: stopping.signal },
    createOpenApi: (baseUrl: string) => openApiDocument(api, { baseUrl, apiPrefix }),
    control: { token: newToken(), env: {}, services: controlServices(stopping.signal) },
    onUnexpectedError: (error: unknown) => process.emitWarning(String(error)),
  };
  const server = port === undefined ? undefined : await listen(sandbox, { ...serving, port });
  const { controlled, handle } = server?.first ?? mountSandbox(sandbox, '', serving);
  const baseUrl = server?.baseUrl ?? 'http://sandbox.localhost';
  const token = sandbox.createToken({ scopes: scopeNames });
  const changeClock = (change: Parameters<typeof operations.changeClock.run>[1]) =>
    runOperation(operations.changeClock, controlled, change);
  const dump = (resource?: string) => runOperation(operations.dump, controlled, { resource });
  const applyAll = async (manifests: typeof apply) =>
    void (await runOperation(operations.apply, controlled, { manifests: [...manifests] }));
  if (apply.length > 0) await applyAll(apply);
  return {
    baseUrl,
    token,
    fetch: createFetch(handle, baseUrl, token),
    dispatcher: createDispatcher(handle),
    reset: async (name: string = from) =>
      void (await runOperation(operations.reset, controlled, { from: name })),
    snapshot: async (name) => void (await runOperation(operations.saveSnapshot, controlled, { name })),
    restore: async (name) => void (await runOperation(operations.restoreSnapshot, controlled, { name })),
    clock: {
      state: () => runOperation(operations.clock, controlled, {}),
      freeze: (time) => changeClock({ freeze: time ?? true }),
      unfreeze: () => changeClock({ freeze: false }),
      set: (time) => changeClock({ set: time }),
      advance: (duration) => changeClock({ advance: duration }),
    },
    faults: {
      set: async (plan) => void (await runOperation(operations.setFaults, controlled, plan as FaultPlan)),
      clear: async () => void (await runOperation(operations.clearFaults, controlled, {})),
    },
    requests: {
      list: async (query = {}) => (await runOperation(operations.requests, controlled, query)).requests,
      clear: async () => void (await runOperation(operations.clearRequests, controlled, {})),
    },
    settings: async (changes) => void (await runOperation(operations.changeSettings, controlled, changes)),
    apply: (...manifests) => applyAll(manifests),
    records: async (name) => {
      const resource = api.findResource(name)?.name ?? name;
      return (await dump(resource))[resource] ?? [];
    },
    dump: () => dump(),
    stop: async () => {
      stopping.abort();
      await server?.close();
      sandbox.close();
    },
  };
};
