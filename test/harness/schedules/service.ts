/** The service of a schedule: a sandbox, and a log of all writes that it has completed. */
import { scopeNames } from '../../../src/api/contract/scope.ts';
import { api } from '../../../src/api/resources/index.ts';
import { openSandbox, type Sandbox, type ServiceResponse } from '../../../src/sandbox/service.ts';
import type { SentRequest } from './baton.ts';

/** A write that the service has completed. */
export interface CompletedWrite {
  /** The number of the command line that sent it. */
  command: number;
  /** The number of the request in the schedule. */
  request: number;
  verb: 'create' | 'update' | 'delete' | 'restore' | 'other';
  resource: string;
  id: string;
  /** Whether the request was repeated, as a proxy may do. */
  isRepeated: boolean;
  /** Whether the unchanged response has reached the process. */
  isAcknowledged: boolean;
}

export type ModelRow = Readonly<Record<string, string | number | null>>;

export class Service {
  readonly completedWrites: CompletedWrite[] = [];
  readonly #sandbox: Sandbox;
  /** Whether filters by name and by code have no effect, as in a service that doesn't know them. */
  ignoresFilters = false;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Returns a token of the owner. Files of boh must not contain it. */
  token(): string {
    return this.#sandbox.createToken({ scopes: scopeNames });
  }

  handle(
    { id, command, isRepeated }: { id: number; command: number; isRepeated: boolean },
    request: SentRequest,
  ): ServiceResponse {
    const target = this.ignoresFilters
      ? request.target.replaceAll(/(?<=[?&])filter(?:\[|%5B)(?:name|code)(?:\]|%5D)=[^&]*&?/gi, '')
      : request.target;
    const response = this.#sandbox.handle({ ...request, target });
    if (request.method !== 'GET' && response.status < 300) {
      const [, path = '', record = '', action] = request.target.split(/[/?]/);
      const recordId = record === '' ? String(JSON.parse(response.body).data?.id) : record;
      this.completedWrites.push({
        command,
        request: id,
        verb: verbOf(request.method, action),
        resource: path,
        id: recordId,
        isRepeated,
        isAcknowledged: false,
      });
    }
    return response;
  }

  /** Records that the response to a request has reached its process. */
  acknowledge(request: number): void {
    for (const write of this.completedWrites) if (write.request === request) write.isAcknowledged = true;
  }

  /** Changes a phone number as someone does in the console of the service, outside of boh. */
  editPhone(token: string, id: string, phone: string): void {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    this.#sandbox.handle({
      method: 'PUT',
      target: `/suppliers/${id}`,
      headers,
      body: JSON.stringify({ phone }),
    });
  }

  rows(table: 'suppliers' | 'tags'): ModelRow[] {
    return this.#sandbox.database.all(`SELECT * FROM ${table} ORDER BY id`);
  }

  close(): void {
    this.#sandbox.close();
  }
}

/** Opens an account that contains only its owner. */
export async function openService(now: () => number): Promise<Service> {
  return new Service(await openSandbox({ api, file: ':memory:', empty: true, machineClock: now }));
}

function verbOf(method: string, action: string | undefined): CompletedWrite['verb'] {
  if (action === 'restore') return 'restore';
  if (action !== undefined && action !== '') return 'other';
  return method === 'POST' ? 'create' : method === 'PUT' ? 'update' : 'delete';
}
