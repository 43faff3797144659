/** Serves sandboxes below paths of one server: the first one at its root, and those that its control creates. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { type ControlOptions, controlListener } from '../control/listener.ts';
import {
  type ControlledSandbox,
  type ControlServices,
  controlPath,
  mountOf,
  type OtherSandboxes,
} from '../control/operations.ts';
import { fileSnapshots, memorySnapshots } from '../control/snapshot-store.ts';
import { RequestLog } from '../inspector/request-log.ts';
import { openSandbox, type Sandbox } from '../service.ts';
import { apiListener, createHandler, type RequestHandler, type ServingOptions } from './api.ts';

/** The options for the control over HTTP. */
export interface ServedControl extends ControlOptions {
  /** Determines the folder of the snapshots of a sandbox in a file. */
  env: Environment;
  services: ControlServices;
  /** The maximum number of sandboxes beside the first one. */
  maxSandboxes?: number | undefined;
}

export interface MountOptions extends ServingOptions {
  /** If omitted, the server has no control. */
  control?: ServedControl | undefined;
}

/** A sandbox with the listener for its requests. */
export interface MountedSandbox {
  log: RequestLog;
  controlled: ControlledSandbox;
  /** Handles requests in the same process. */
  handle: RequestHandler;
  listener: RequestListener;
}

/** Returns a sandbox at a path of the server; the path of the first one is empty. */
export function mountSandbox(
  sandbox: Sandbox,
  mount: string,
  options: MountOptions,
  others?: OtherSandboxes,
): MountedSandbox {
  const { control, stopping } = options;
  const log = new RequestLog(sandbox.apiPrefix);
  const controlled: ControlledSandbox = {
    sandbox,
    snapshots: sandbox.isInMemory
      ? memorySnapshots(sandbox)
      : fileSnapshots(sandbox, control?.env ?? {}, stopping),
    requests: { log, prefix: sandbox.apiPrefix },
    others,
    services: control?.services ?? noServices,
    signal: stopping,
  };
  const serving = { ...options, apiPrefix: sandbox.apiPrefix, mount };
  const handle = createHandler(sandbox, log, serving);
  const api = apiListener(handle, serving);
  const controlApi = control && controlListener(controlled, mount, control, options);
  return {
    log,
    controlled,
    handle,
    listener: (incoming, outgoing) => {
      const isControl = controlApi && incoming.url?.startsWith(`${mount}${controlPath}/`);
      (isControl ? controlApi : api)(incoming, outgoing);
    },
  };
}

const noServices: ControlServices = {
  applyContents: () => Promise.reject(new Failure('unavailable', 'This sandbox has no control.')),
  idOf: async (_, __, text) => text,
};

/** The maximum number of sandboxes beside the first one of a server, by default. */
const defaultMaxSandboxes = 500;

/** The sandboxes of a server beside its first one, in memory. */
export class MountedSandboxes implements OtherSandboxes {
  readonly #first: Sandbox;
  readonly #options: MountOptions;
  readonly #mounted = new Map<string, MountedSandbox & { deleting: AbortController }>();

  constructor(first: Sandbox, options: MountOptions) {
    this.#first = first;
    this.#options = options;
  }

  /** Returns the sandbox of a path, such as `/s/ID/customers`; undefined if there is none. */
  find(path: string): MountedSandbox | undefined {
    const [empty, prefix, id = ''] = path.split(/[/?]/, 3);
    return empty === '' && prefix === 's' ? this.#mounted.get(id) : undefined;
  }

  async create(content: Uint8Array): Promise<ControlledSandbox & { id: string }> {
    const { maxSandboxes = defaultMaxSandboxes } = this.#options.control ?? {};
    if (this.#mounted.size >= maxSandboxes) {
      throw new Failure('refused', `The server has ${maxSandboxes} sandboxes already.`, {
        hint: 'Delete those that are no longer needed: DELETE /_boh/sandboxes/ID',
      });
    }
    const id = randomBytes(9).toString('base64url');
    const { options, tables, apiPrefix } = this.#first;
    const sandbox = await openSandbox({
      ...options,
      tables,
      content,
      file: ':memory:',
      apiPrefix: mountOf(id) + apiPrefix,
    });
    const deleting = new AbortController();
    const stopping = AbortSignal.any([this.#options.stopping, deleting.signal]);
    const mounted = mountSandbox(sandbox, mountOf(id), { ...this.#options, stopping });
    this.#mounted.set(id, { ...mounted, deleting });
    return { ...mounted.controlled, id };
  }

  ids(): string[] {
    return [...this.#mounted.keys()];
  }

  delete(id: string): void {
    const mounted = this.#mounted.get(id);
    if (!mounted) throw new Failure('not_found', `Sandbox ${id} not found.`);
    this.#mounted.delete(id);
    mounted.deleting.abort(new Failure('unavailable', 'The sandbox was deleted.'));
    // Requests that waited end first.
    setImmediate(() => mounted.controlled.sandbox.close());
  }

  /** Closes all sandboxes. */
  close(): void {
    for (const id of this.ids()) this.delete(id);
  }
}
